import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Decision } from '#core/routing/decide.ts';
import type { Reply } from '#edge/http/exchange.ts';
import { securityTxtType } from '#core/http/security-txt.ts';
import { createCloakPage, createDeepLinkPage, createGonePage, createPreviewPage } from './link-pages.ts';
import { icon, type Page } from './page.ts';
import { fixedPage, type FixedPage } from './fixed-pages.ts';
import { type Language, pageLanguage } from './texts/texts.ts';

const robots = 'User-agent: *\nDisallow:\n';
const jsonType = 'application/json; charset=utf-8';
const aDay = 'public, max-age=86400';
const uncached = ['cache-control', 'private, no-store', 'x-robots-tag', 'noindex'];
const noSniff = ['x-content-type-options', 'nosniff'];
const empty = ['content-length', '0'];
// Scripts of any site may follow links by fetch, which reads no answer of a redirect without it.
const anyOrigin = ['access-control-allow-origin', '*'];
const ofRedirects = [...uncached, ...anyOrigin, ...empty];
// Authorization is the one header that `*` does not cover (Fetch standard).
const ofPreflights: readonly string[] = [
  ...anyOrigin,
  'access-control-allow-methods',
  'GET, HEAD',
  'access-control-allow-headers',
  '*, authorization',
  'access-control-max-age',
  '86400',
];

/** Sends a redirect that no cache keeps, and that scripts of any site may follow. */
function sendRedirect(reply: Reply, location: string): void {
  reply.send(302, ['location', location, ...ofRedirects], '');
}

/** Answers the question of a browser whether a script may ask for a link. */
export function sendPreflight(reply: Reply): void {
  reply.send(204, ofPreflights, '');
}

/** Sends a fixed page in the visitor's language; `headers` are added to its own. */
export function sendPage(reply: Reply, name: FixedPage, headers: Record<string, string> = {}): void {
  send(reply, fixedPage(name, languageOf(reply)), headers);
}

/** Sends a page that is made in the visitor's language. */
export function sendMade(reply: Reply, make: (language: Language) => Page): void {
  send(reply, make(languageOf(reply)));
}

function send(reply: Reply, page: Page, headers: Record<string, string> = {}): void {
  reply.send(page.status, [...page.headerList, ...Object.entries(headers).flat()], page.body);
}

function languageOf(reply: Reply): Language {
  return pageLanguage(reply.request.headers['accept-language']);
}

/**
 * Sends the answer of a decision.
 * @param fileUrl returns the public address of a stored file.
 */
export function sendDecision(
  reply: Reply,
  decision: Exclude<Decision, { kind: 'warning' }>,
  fileUrl: (key: string) => string,
): void {
  switch (decision.kind) {
    case 'redirect':
    case 'elsewhere':
      return sendRedirect(reply, decision.location);
    case 'deepLink':
      return send(reply, createDeepLinkPage(decision, languageOf(reply)));
    case 'cloak':
      return send(reply, createCloakPage(decision, languageOf(reply)));
    case 'preview':
      return send(reply, createPreviewPage(decision, languageOf(reply), fileUrl));
    case 'cap':
      return sendPage(reply, 'unavailable');
    case 'gone':
      return send(reply, createGonePage(decision, languageOf(reply)));
    case 'bare':
      return sendPage(reply, decision.isPlatform ? 'bare' : 'customBare');
    case 'notFound':
    case 'blocked':
    case 'password':
      return sendPage(reply, decision.kind);
  }
}

/** Redirects a visitor who gave the right password to the link, with the cookie that opens it. */
export function sendPasswordAccepted(reply: Reply, target: string, cookie: string): void {
  reply.send(303, ['location', target, 'set-cookie', cookie, ...uncached, ...noSniff, ...empty], '');
}

/** Sends a JSON document as it is, under the bare type (RFC 8259 knows no charset). */
export function sendJson(reply: Reply, json: string): void {
  sendText(reply, json, { type: 'application/json', caching: 'no-cache' });
}

/** Sends a short JSON answer to a machine. */
export function sendStatus(reply: Reply, status: number, body: object, headers: readonly string[] = []): void {
  sendText(reply, JSON.stringify(body), { status, type: jsonType, caching: 'no-store', headers });
}

/** Sends robots.txt, which allows everything: crawlers must be able to see the header that forbids to index links. */
export function sendRobots(reply: Reply): void {
  sendText(reply, robots, { type: 'text/plain; charset=utf-8', caching: aDay });
}

/** Sends security.txt (RFC 9116). */
export function sendSecurityTxt(reply: Reply, text: string): void {
  sendText(reply, text, { type: securityTxtType, caching: aDay });
}

/** Sends the icon of the edge's pages, for browsers that ask for it by itself. */
export function sendIcon(reply: Reply): void {
  sendText(reply, icon, { type: 'image/svg+xml', caching: aDay });
}

interface TextOptions {
  status?: number;
  type: string;
  caching: string;
  headers?: readonly string[];
}

function sendText(reply: Reply, text: string, { status = 200, type, caching, headers = [] }: TextOptions): void {
  const body = Buffer.from(text);
  const own = ['cache-control', caching, 'content-type', type, 'content-length', String(body.length)];
  reply.send(status, [...own, ...noSniff, ...headers], body);
}

const pagesOfErrors: Partial<Record<string, FixedPage>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
};

/** Answers a request that Node's parser could not read, and closes the connection. */
export function answerBadRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  transportHeaders: readonly string[],
): void {
  // The peer is gone, or an earlier request of this connection is being answered (`_httpMessage` is not in the type).
  if (error.code === 'ECONNRESET' || !socket.writable || (socket as { _httpMessage?: unknown })._httpMessage) {
    socket.destroy();
    return;
  }
  endWithPage(socket, pagesOfErrors[error.code ?? ''] ?? 'badRequest', transportHeaders);
}

/** Answers CONNECT, for which Node hands out the bare connection, with 405. */
export function refuseTunnel(socket: Duplex, transportHeaders: readonly string[]): void {
  // Node no longer handles this socket.
  socket.on('error', () => socket.destroy()).on('finish', () => socket.destroy());
  endWithPage(socket, 'methodNotAllowed', transportHeaders);
}

/** Answers on the bare connection, and ends it. */
export function endWithPage(socket: Duplex, name: FixedPage, transportHeaders: readonly string[]): void {
  const page = fixedPage(name, 'en');
  const headers = [...page.headerList, ...transportHeaders, 'connection', 'close', 'date', new Date().toUTCString()];
  const head = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${page.status} ${STATUS_CODES[page.status]}\r\n${head}\r\n`), page.body]),
  );
}
