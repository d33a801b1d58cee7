/** A GET as browsers and proxies send it. */
interface PlainGet {
  /** The request target: a path, and a query if there is one. */
  readonly url: string;
  readonly headers: PlainHeaders;
  /** Whether the client asks to close the connection after the answer. */
  readonly isLast: boolean;
}

/** Fields of every request in the same order, so that V8 gives all of them one shape. */
export class PlainHeaders {
  'accept-language': string | undefined = undefined;
  'connection': string | undefined = undefined;
  'content-type': string | undefined = undefined;
  'cookie': string | undefined = undefined;
  'host': string | undefined = undefined;
  'purpose': string | undefined = undefined;
  'referer': string | undefined = undefined;
  'sec-fetch-dest': string | undefined = undefined;
  'sec-fetch-site': string | undefined = undefined;
  'sec-gpc': string | undefined = undefined;
  'sec-purpose': string | undefined = undefined;
  'user-agent': string | undefined = undefined;
  'x-forwarded-for': string | undefined = undefined;
  'x-moz': string | undefined = undefined;
  'x-purpose': string | undefined = undefined;
}
const read = Object.keys(new PlainHeaders()) as (keyof PlainHeaders)[];

// They announce a body, an answer before the answer, or another protocol.
const notPlain = ['content-length', 'transfer-encoding', 'expect', 'upgrade', 'http2-settings', 'te', 'trailer'];

/** Fields of headers by their names, in lower case and as most clients write them; null: the request is not plain. */
const fields = new Map<string, keyof PlainHeaders | null>();
for (const name of read) fields.set(name, name).set(titleCase(name), name);
for (const name of notPlain) fields.set(name, null);

// A longer one is left to Node's parser, which counts its bytes.
const maxBytes = 8_192;
const shortest = 'GET / HTTP/1.1\r\n\r\n'.length;
const version = ' HTTP/1.1\r\n';
// Of a whole head, as strict as RFC 9112 is and in some points stricter: no folded lines, no bytes beyond ASCII, no empty header.
const head =
  /^GET \/[\w.~!$&'()*+,;=:@%/?-]* HTTP\/1\.1\r\n(?:[\w-]+: ?[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n)+\r\n$/;

/**
 * Reads a request that is a plain GET, and nothing beside it: a path, HTTP/1.1, each header once, no body. Null for everything else,
 * which Node's parser must read; it would read a plain GET in the same way (`test/edge/http/plain-get.test.ts`).
 * @param bytes what a connection has received since its last request.
 */
export function parsePlainGet(bytes: Buffer): PlainGet | null {
  const { length } = bytes;
  if (length > maxBytes || length < shortest || bytes[length - 3] !== 10 || bytes[length - 1] !== 10) return null;
  const text = bytes.toString('latin1');
  if (!head.test(text)) return null;
  const urlEnd = text.indexOf(' ', 4);
  const headers = new PlainHeaders();
  for (let at = urlEnd + version.length; at < length - 2;) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r', colon);
    const name = text.slice(at, colon);
    const field = fields.get(name) ?? fields.get(name.toLowerCase());
    if (field === null) return null;
    // Node's parser joins some headers that come twice, and drops others.
    if (field !== undefined && headers[field] !== undefined) return null;
    if (field !== undefined)
      headers[field] = text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1, end);
    at = end + 2;
  }
  const { host, connection } = headers;
  if (host === undefined) return null;
  const isLast = connection !== undefined && connection.toLowerCase() === 'close';
  if (connection !== undefined && !isLast && connection.toLowerCase() !== 'keep-alive') return null;
  return { url: text.slice(4, urlEnd), headers, isLast };
}

/** `user-agent` as most clients write it, `User-Agent`. */
function titleCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
