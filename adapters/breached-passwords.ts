import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { IsBreached } from '#core/accounts/breached-passwords.ts';
import type { GuardedHttp } from './http/guarded-http.ts';

interface BreachedPasswordsOptions {
  /** A file of SHA-1 hashes in hexadecimal, one a line, in their order; behind a hash may stand `:` and a count. */
  file?: string | undefined;
  /** A service that gets the first five digits of a SHA-1 hash behind this address, and answers with the ends of all hashes that begin so. */
  service?: { url: string; http: Pick<GuardedHttp, 'request'> } | undefined;
  onError(error: unknown): void;
}

// A person waits for it.
const serviceTimeoutMs = 2_000;
const prefixLength = 5;
const hashLength = 40;
// A line of the file is a hash, a count and a line break of two characters.
const longestLine = 64;
const hashLine = /^[0-9a-f]{40}(?::\d+)?\s*$/i;

/**
 * Looks a password up in the list that is shipped, some 49,000 passwords that are stolen most often; in the file; and at the service. A file
 * or service that fails is reported, and the password counts as unknown to it: people can go on setting passwords.
 */
export function createBreachedPasswords({ file, service, onError }: BreachedPasswordsOptions): IsBreached {
  const orNot = async (look: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await look();
    } catch (error) {
      onError(error);
      return false;
    }
  };
  return async (password) => {
    if (await isOnShippedList(password)) return true;
    const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
    if (file !== undefined && (await orNot(() => isInFile(file, hash)))) return true;
    return service !== undefined && (await orNot(() => isKnownToService(service, hash)));
  };
}

let shipped: Promise<ReadonlySet<string>> | undefined;

/** Loads the list with the first password that is set. */
async function isOnShippedList(password: string): Promise<boolean> {
  shipped ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set<string>(dictionary['passwords-common']),
  );
  const list = await shipped;
  return list.has(password) || list.has(password.toLowerCase());
}

async function isKnownToService(
  { url, http }: NonNullable<BreachedPasswordsOptions['service']>,
  hash: string,
): Promise<boolean> {
  const answer = await http.request({
    url: `${url.replace(/\/$/, '')}/${hash.slice(0, prefixLength)}`,
    method: 'GET',
    // The service then answers with lines of the count 0 too, so that the length of the answer says nothing.
    headers: { 'add-padding': 'true', 'accept-encoding': 'identity' },
    timeoutMs: serviceTimeoutMs,
  });
  if (answer.status !== 200) throw new Error(`The service of breached passwords answered ${answer.status}.`);
  const lines = answer.body.toString('utf8').split('\n');
  const end = hash.slice(prefixLength);
  return lines.some((line) => {
    const [found, count] = line.trim().split(':');
    return found?.toUpperCase() === end && count !== '0';
  });
}

/** Searches the file by halves: some 35 reads for a billion hashes. */
async function isInFile(path: string, hash: string): Promise<boolean> {
  await using handle = await open(path);
  const { size } = await handle.stat();
  let [low, high] = [0, size];
  // Lines that begin in [low, high) may be the one.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await readLineFrom(handle, middle);
    if (line === undefined || line.start >= high) {
      high = middle;
      continue;
    }
    if (!hashLine.test(line.text)) throw new Error(`${path} has a line that is no SHA-1 hash in hexadecimal.`);
    const found = line.text.slice(0, hashLength).toUpperCase();
    if (found === hash) return true;
    if (found < hash) low = line.end;
    else high = middle;
  }
  return false;
}

/** Reads the first line that begins at a position or behind it; undefined: there is none. */
async function readLineFrom(
  handle: FileHandle,
  position: number,
): Promise<{ text: string; start: number; end: number } | undefined> {
  // From one byte before, to see whether a line begins right there.
  const from = Math.max(0, position - 1);
  const buffer = Buffer.alloc(2 * longestLine);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
  const text = buffer.toString('latin1', 0, bytesRead);
  const before = position === 0 ? -1 : text.indexOf('\n');
  if (position > 0 && before === -1) return undefined;
  const start = before + 1;
  if (start >= bytesRead) return undefined;
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? bytesRead : newline;
  return { text: text.slice(start, end), start: from + start, end: from + Math.min(end + 1, bytesRead) };
}
