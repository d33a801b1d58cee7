import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Decision, DecisionOf } from '#core/routing/decide.ts';
import { securityTxtType } from '#core/http/security-txt.ts';
import {
  createCloakPage,
  createDeepLinkPage,
  createGonePage,
  createPreviewPage,
  createReportPage,
  createTooManyTriesPage,
  createWarningPage,
} from './link-pages.ts';
import { icon, type Page } from './page.ts';
import { fixedPage, type FixedPage } from './fixed-pages.ts';
import { type Language, pageLanguage } from './texts/texts.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Headers of every answer where visitors come by https, as `writeHead` takes them; else empty. */
    transportHeaders: readonly string[];
  }
}

const robots = 'User-agent: *\nDisallow:\n';

/** Sends a redirect that no cache keeps (4.2). Written past the framework for speed: it is the most frequent answer. */
export function sendRedirect(reply: FastifyReply, location: string): void {
  reply.hijack();
  reply.raw
    .writeHead(302, [
      ...reply.server.transportHeaders,
      'location',
      location,
      'cache-control',
      'private, no-store',
      'x-robots-tag',
      'noindex',
      'content-length',
      '0',
    ])
    .end();
}

/** Sends a fixed page in the visitor's language; `headers` are added to its own. */
export function sendPage(reply: FastifyReply, name: FixedPage, headers: Record<string, string> = {}): void {
  send(reply, fixedPage(name, languageOf(reply)), headers);
}

/** Sends the page for a client that has given too many wrong passwords. */
export function sendTooManyTries(reply: FastifyReply, retryAfterSeconds: number): void {
  send(reply, createTooManyTriesPage(retryAfterSeconds, languageOf(reply)));
}

/** Sends the warning of a link's threats. @param go `pass`, by which the visitor may go on, and the path of the link. */
export function sendWarning(
  reply: FastifyReply,
  warning: DecisionOf<'warning'>,
  go: { pass: string; path: string },
): void {
  send(reply, createWarningPage(warning, languageOf(reply), go));
}

/** Sends the form by which a link is reported. @param slug percent-encoded. */
export function sendReportForm(reply: FastifyReply, domain: string, slug: string): void {
  send(reply, createReportPage(domain, slug, languageOf(reply)));
}

/** Written past the framework too: floods of unknown slugs get pages. */
function send(reply: FastifyReply, page: Page, headers: Record<string, string> = {}): void {
  reply.hijack();
  const { transportHeaders } = reply.server;
  reply.raw
    .writeHead(page.status, [...page.headerList, ...transportHeaders, ...Object.entries(headers).flat()])
    .end(page.body);
}

function languageOf(reply: FastifyReply): Language {
  return pageLanguage(reply.request.raw.headers['accept-language']);
}

/**
 * Sends the answer of a decision.
 * @param fileUrl returns the public address of a stored file.
 */
export function sendDecision(
  reply: FastifyReply,
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

/** Redirects a visitor who gave the right password to the link, with the cookie that opens it (4.7). */
export function sendPasswordAccepted(reply: FastifyReply, target: string, cookie: string): void {
  reply
    .code(303)
    .header('location', target)
    .header('set-cookie', cookie)
    .header('cache-control', 'private, no-store')
    .header('x-robots-tag', 'noindex')
    .send();
}

/** Sends a JSON document as it is, under the bare type (RFC 8259 knows no charset), which the framework would add to. */
export function sendJson(reply: FastifyReply, json: string): void {
  const body = Buffer.from(json);
  reply.hijack();
  reply.raw
    .writeHead(200, [
      ...reply.server.transportHeaders,
      'cache-control',
      'no-cache',
      'content-type',
      'application/json',
      'x-content-type-options',
      'nosniff',
      'content-length',
      String(body.length),
    ])
    .end(body);
}

/** Sends a short JSON answer to a machine. */
export function sendStatus(reply: FastifyReply, status: number, body: object): void {
  reply.code(status).header('cache-control', 'no-store').send(body);
}

/** Sends robots.txt, which allows everything: crawlers must be able to see the header that forbids to index links. */
export function sendRobots(reply: FastifyReply): void {
  reply
    .code(200)
    .headers({ 'cache-control': 'public, max-age=86400', 'content-type': 'text/plain; charset=utf-8' })
    .send(robots);
}

/** Sends security.txt (RFC 9116). */
export function sendSecurityTxt(reply: FastifyReply, text: string): void {
  reply.code(200).headers({ 'cache-control': 'public, max-age=86400', 'content-type': securityTxtType }).send(text);
}

/** Sends the icon of the edge's pages, for browsers that ask for it by itself. */
export function sendIcon(reply: FastifyReply): void {
  reply.code(200).headers({ 'cache-control': 'public, max-age=86400', 'content-type': 'image/svg+xml' }).send(icon);
}

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
  const name =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headersTooLarge'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'timeout'
        : 'badRequest';
  endWithPage(socket, name, transportHeaders);
}

/** Answers CONNECT, for which Node hands out the bare connection, with 405. */
export function refuseTunnel(socket: Duplex, transportHeaders: readonly string[]): void {
  // Node no longer handles this socket.
  socket.on('error', () => socket.destroy()).on('finish', () => socket.destroy());
  endWithPage(socket, 'methodNotAllowed', transportHeaders);
}

function endWithPage(socket: Duplex, name: FixedPage, transportHeaders: readonly string[]): void {
  const page = fixedPage(name, 'en');
  const headers = [...page.headerList, ...transportHeaders, 'connection', 'close', 'date', new Date().toUTCString()];
  const head = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${page.status} ${STATUS_CODES[page.status]}\r\n${head}\r\n`), page.body]),
  );
}
