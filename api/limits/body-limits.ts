/** Maximum bytes of JSON bodies (1.11). Multipart bodies have limits by part. */
export const bodyLimits = {
  /** Paths under /auth/: an e-mail address and two passwords. */
  auth: 16 * 1_024,
  /** All other routes. */
  single: 64 * 1_024,
  /** One link: the 128 KiB of a link (3.1) as answers hold it, with names of fields, ids and escapes. */
  link: 256 * 1_024,
  /** Messages of MCP: the 60,000 characters of a file to import, each escaped as six bytes, and some more. */
  message: 512 * 1_024,
  /** The two app association files of a domain, each of which may have 128 KiB, and some spelling of it with escapes. */
  documents: 512 * 1_024,
  /** Bulk calls. */
  large: 4 * 1_024 * 1_024,
} as const;

/**
 * Bytes that bodies above `single` of an organization may have under way in a process, three files of links or sixteen bulk calls,
 * and bytes that other bodies may.
 */
export const bodyShareBytes = 64 * 1_024 * 1_024;

// The shortest useful part of a body is a country in a list: "DE", with its comma.
const bytesOfOne = 4;
// 100 links with 100 rules of one country each, at 12 a rule, and 400 for the other fields of each link. 4 MiB of `{},` hold 2.8 million,
// which block the process for a second.
const mostOfBulk = 160_000;
// No object of the API has a tenth of them.
const maxFields = 1_000;
// V8 makes a class for each beginning of an object that it has not seen, which costs more than all else of a body: 800 objects of 98 names
// of their own take 250 ms to parse, and objects with this many beginnings 35. Clients write the fields of a kind of object in a few orders.
const maxBeginnings = 10_000;
// JSON.parse reads any depth; functions that walk its result overflow the stack at some 5,000 levels.
const maxDepth = 1_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openings = { array: 0x5b, object: 0x7b };
const closings = { array: 0x5d, object: 0x7d };
const counted = new Set([quote, comma, colon, ...Object.values(openings), ...Object.values(closings)]);
// Megabytes of digits or spaces are passed over in a third of the time that comparisons take.
const isCounted = Uint8Array.from({ length: 256 }, (_, byte) => Number(counted.has(byte)));

/** The most commas, colons and opening brackets of a body of at most `bodyLimit` bytes. */
export function maxStructure(bodyLimit: number): number {
  return Math.min(bodyLimit / bytesOfOne, mostOfBulk);
}

/** Why a body must not be read, by its `Content-Encoding`: a compressed one of a few bytes may hold gigabytes. */
export function codingProblem(coding = 'identity'): string | undefined {
  if (coding.trim().toLowerCase() === 'identity') return undefined;
  return 'The body is compressed (Content-Encoding), which this API does not read: send it as it is.';
}

/** Beginnings of objects that go on from one, by the name of the next field. */
type Beginning = Map<string, Beginning>;

/**
 * Why a body must not be parsed, as an issue's message; undefined where it may be. Parsing and checking takes time by the parts of
 * a body, not by its bytes.
 * @param body need not be valid JSON.
 */
export function structureProblem(body: Buffer, bodyLimit: number): string | undefined {
  const most = maxStructure(bodyLimit);
  let count = 0;
  let depth = 0;
  let beginnings = 0;
  let textStart = 0;
  let textEnd = 0;
  const empty: Beginning = new Map();
  const fields = [0];
  const begun = [empty];
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index]!;
    if (isCounted[byte] === 0) continue;
    if (byte === quote) {
      textStart = index + 1;
      for (index += 1; index < body.length && body[index] !== quote; index += 1)
        if (body[index] === backslash) index += 1;
      textEnd = index;
    } else if (byte === closings.array || byte === closings.object) {
      depth -= 1;
    } else if (byte === openings.array || byte === openings.object) {
      count += 1;
      depth += 1;
      if (depth > maxDepth) return 'The body is nested too deeply.';
      fields[depth] = 0;
      begun[depth] = empty;
    } else if (byte === colon) {
      count += 1;
      fields[depth] = (fields[depth] ?? 0) + 1;
      if (fields[depth]! > maxFields) return `An object of the body has too many fields: it may have ${maxFields}.`;
      const name = body.toString('latin1', textStart, textEnd);
      const before = begun[depth] ?? empty;
      let next = before.get(name);
      if (next === undefined) {
        beginnings += 1;
        if (beginnings > maxBeginnings)
          return 'The objects of the body differ too much in the names and the order of their fields.';
        before.set(name, (next = new Map()));
      }
      begun[depth] = next;
    } else {
      count += 1;
    }
    if (count > most) return `The body has too many parts: it may have ${most} commas, colons and opening brackets.`;
  }
  return undefined;
}
