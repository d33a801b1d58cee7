/** Maximum bytes of JSON bodies (1.11). Multipart bodies have limits by part. */
export const bodyLimits = {
  /** Paths under /auth/: an e-mail address and two passwords. */
  auth: 16 * 1_024,
  /** All other routes. */
  single: 64 * 1_024,
  /** The two app association files of a domain, each of which may have 128 KiB, and some spelling of it with escapes. */
  documents: 512 * 1_024,
  /** Bulk calls. */
  large: 4 * 1_024 * 1_024,
} as const;

// The shortest useful part of a body is a country in a list: "DE", with its comma.
const bytesOfOne = 4;
// 100 links with 100 rules of one country each, at 12 a rule, and 400 for the other fields of each link. 4 MiB of `{},` hold 2.8 million,
// which block the process for a second.
const mostOfBulk = 160_000;
// No object of the API has a tenth of them. 79,000 names in one object take 65 ms to parse, and 20 ms in 100 objects that share them.
const maxFields = 1_000;
// JSON.parse reads any depth; functions that walk its result overflow the stack at some 5,000 levels.
const maxDepth = 1_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openings = { array: 0x5b, object: 0x7b };
const closings = { array: 0x5d, object: 0x7d };

/** The most commas, colons and opening brackets of a body of at most `bodyLimit` bytes. */
export function maxStructure(bodyLimit: number): number {
  return Math.min(bodyLimit / bytesOfOne, mostOfBulk);
}

/**
 * Why a body must not be parsed, as an issue's message; undefined where it may be. Parsing and checking takes time by the parts of
 * a body, not by its bytes.
 * @param body need not be valid JSON.
 */
export function structureProblem(body: Buffer, bodyLimit: number): string | undefined {
  const most = maxStructure(bodyLimit);
  let count = 0;
  let depth = 0;
  const fields = [0];
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === quote) {
      for (index += 1; index < body.length && body[index] !== quote; index += 1)
        if (body[index] === backslash) index += 1;
      continue;
    }
    if (byte === closings.array || byte === closings.object) depth -= 1;
    const isOpening = byte === openings.array || byte === openings.object;
    if (isOpening) fields[++depth] = 0;
    if (byte === colon) fields[depth] = (fields[depth] ?? 0) + 1;
    if (fields[depth]! > maxFields) return `An object of the body has too many fields: it may have ${maxFields}.`;
    if (isOpening || byte === comma || byte === colon) count += 1;
    if (depth > maxDepth) return 'The body is nested too deeply.';
    if (count > most) return `The body has too many parts: it may have ${most} commas, colons and opening brackets.`;
  }
  return undefined;
}
