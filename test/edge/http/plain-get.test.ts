import { createServer, type IncomingMessage } from 'node:http';
import { duplexPair } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePlainGet } from '#edge/http/plain-get.ts';

/** What Node's own server reads of the same bytes. */
interface NodeReading {
  requests: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'httpVersion'>[];
  /** Whether it keeps the connection after the first answer. */
  isKept: boolean;
  hasError: boolean;
}

function readByNode(bytes: Buffer): Promise<NodeReading> {
  const [client, connection] = duplexPair();
  const requests: NodeReading['requests'] = [];
  let hasError = false;
  const server = createServer((request, response) => {
    requests.push(request);
    response.end();
  });
  server.on('clientError', (_error, socket) => {
    hasError = true;
    socket.destroy();
  });
  return new Promise((resolve) => {
    let answer = '';
    client.setEncoding('latin1').on('data', (part: string) => (answer += part));
    server.emit('connection', connection);
    client.write(bytes, () => {
      setImmediate(() => {
        client.destroy();
        connection.destroy();
        resolve({ requests, isKept: /^connection: keep-alive/im.test(answer), hasError });
      });
    });
  });
}

const anyOf = (characters: string): fc.Arbitrary<string> => fc.constantFrom(...Array.from(characters));

const names = [
  'host',
  'user-agent',
  'accept-language',
  'referer',
  'x-forwarded-for',
  'cookie',
  'sec-gpc',
  'sec-purpose',
  'sec-fetch-dest',
  'connection',
  'accept',
  'x-y_z',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'x y',
  'x:',
  '',
];
const name = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom('lower', 'upper', 'title'))
  .map(([text, style]) =>
    style === 'lower'
      ? text
      : style === 'upper'
        ? text.toUpperCase()
        : text.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase()),
  );
const value = fc.oneof(
  fc.constantFrom(
    'close',
    'keep-alive',
    'Keep-Alive',
    'upgrade',
    '0',
    '5',
    'chunked',
    '100-continue',
    'h2c',
    'go.example',
    '',
  ),
  fc.string({ unit: anyOf('aZ09 \t,;:="/()[]{}\\\r\n\0\u007f\u00e9') }),
);
const oddLine = fc
  .tuple(name, fc.constantFrom(': ', ':', ':  ', ' : ', ':\t'), value, fc.constantFrom('', '', '', ' ', '\t'))
  .map((parts) => parts.join(''));
const usualLine = fc
  .tuple(name, fc.constantFrom(': ', ':'), fc.string({ unit: anyOf('aZ09 ,;="/()') }))
  .map((parts) => parts.join(''));
// Most parts are as usual: a request with several odd ones would nearly never be read as plain.
const usually = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
const oddTarget = fc.oneof(
  fc.constantFrom('*', 'http://go.example/x', '//x', '/a#b', '/a b', '/ü', ''),
  fc.string({ unit: anyOf('/aZ09-._~%?&=+@:;,!$()*#"<>[]\\^`{|}\u007f ') }).map((text) => `/${text}`),
);
const request = fc
  .record({
    method: usually(fc.constant('GET'), fc.constantFrom('HEAD', 'POST', 'get', 'GETS', ' GET')),
    target: usually(fc.constantFrom('/', '/slug', '/a?b=c&d=%20'), oddTarget),
    version: usually(fc.constant('HTTP/1.1'), fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'http/1.1', 'HTTP/2.0')),
    lines: fc.array(usually(usualLine, oddLine), { maxLength: 4 }),
    hasHost: usually(fc.constant(true), fc.constant(false)),
    end: usually(fc.constant('\r\n'), fc.constantFrom('\n', '\r', '')),
    rest: usually(fc.constant(''), fc.constantFrom('x', '\r\n', 'GET /b HTTP/1.1\r\nhost: b\r\n\r\n')),
  })
  .map(({ method, target, version, lines, hasHost, end, rest }) => {
    const head = [`${method} ${target} ${version}`, ...(hasHost ? ['Host: go.example'] : []), ...lines];
    return Buffer.from(`${head.join('\r\n')}${end}\r\n${rest}`, 'latin1');
  });

describe('a request that is read as a plain GET', () => {
  test('is the one request that Node’s parser reads of the same bytes', { tags: 'slow' }, async () => {
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(request, async (bytes) => {
        const get = parsePlainGet(bytes);
        if (get === null) return;
        plain += 1;
        const { requests, isKept, hasError } = await readByNode(bytes);
        expect(hasError).toBe(false);
        expect(requests).toHaveLength(1);
        const [read] = requests;
        expect([read!.method, read!.httpVersion, read!.url]).toEqual(['GET', '1.1', get.url]);
        expect(isKept).toBe(!get.isLast);
        for (const [field, text] of Object.entries(get.headers))
          expect([field, read!.headers[field]]).toEqual([field, text]);
      }),
      { numRuns: 3_000 },
    );
    expect(plain).toBeGreaterThan(200);
  });

  test.each([
    [
      'a browser’s',
      [
        'Host: go.example',
        'Connection: keep-alive',
        'Cache-Control: max-age=0',
        'sec-ch-ua: "Chromium";v="130"',
        'Sec-Fetch-Dest: document',
        'Upgrade-Insecure-Requests: 1',
        'User-Agent: Mozilla/5.0 (X11)',
        'Accept: text/html,*/*;q=0.8',
        'Accept-Encoding: gzip, deflate, br',
        'Accept-Language: de-DE,de;q=0.9',
        'Cookie: a=b; c="d"',
        'DNT: 1',
        'Sec-GPC: 1',
        'Priority: u=0, i',
      ],
    ],
    ['curl’s', ['Host: 127.0.0.1:3001', 'User-Agent: curl/8.5.0', 'Accept: */*']],
    [
      'one of Caddy’s',
      [
        'Host: go.example',
        'User-Agent: x',
        'Via: 2.0 Caddy',
        'X-Forwarded-For: 203.0.113.7',
        'X-Forwarded-Host: go.example',
        'X-Forwarded-Proto: https',
        'Accept-Encoding: gzip',
      ],
    ],
  ])('%s is one', (_whose, lines) => {
    const get = parsePlainGet(Buffer.from(`GET /slug?qr=1 HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`));
    expect(get).toMatchObject({ url: '/slug?qr=1', isLast: false });
    for (const line of lines) {
      const [field = '', ...text] = line.split(': ');
      expect([undefined, text.join(': ')]).toContain(get!.headers[field.toLowerCase() as 'host']);
    }
    expect(get!.headers.host).toBe(lines[0]!.slice('Host: '.length));
  });
});
