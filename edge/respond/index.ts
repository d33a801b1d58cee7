import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Page, pages } from './page.ts';

export { pages } from './page.ts';

const robots = 'User-agent: *\nDisallow:\n';

/** Sends a redirect that nobody keeps (4.2). */
export function sendRedirect(reply: FastifyReply, location: string): void {
  reply
    .code(302)
    .header('location', location)
    .header('cache-control', 'private, no-store')
    .header('x-robots-tag', 'noindex')
    .send();
}

/** Sends a page of the edge. */
export function sendPage(reply: FastifyReply, page: Page): void {
  reply.code(page.status).headers(page.headers).send(page.body);
}

/** Sends a JSON document as it is. */
export function sendJson(reply: FastifyReply, json: string): void {
  reply
    .code(200)
    .headers({ 'cache-control': 'no-cache', 'content-type': 'application/json', 'x-content-type-options': 'nosniff' })
    .send(json);
}

/** Sends robots.txt: links say by a header that they are not to be indexed, which crawlers must be able to see. */
export function sendRobots(reply: FastifyReply): void {
  reply
    .code(200)
    .headers({ 'cache-control': 'public, max-age=86400', 'content-type': 'text/plain; charset=utf-8' })
    .send(robots);
}

/** Answers a browser's question for an icon: there is none. */
export function sendNoIcon(reply: FastifyReply): void {
  reply.code(204).header('cache-control', 'public, max-age=86400').send();
}

/** Answers what Node's parser could not read, and closes the connection. */
export function answerBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The peer is gone, or an answer to an earlier request of this connection is under way (not in the type).
  if (error.code === 'ECONNRESET' || !socket.writable || (socket as { _httpMessage?: unknown })._httpMessage) {
    socket.destroy();
    return;
  }
  const page =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? pages.headersTooLarge
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? pages.timeout
        : pages.badRequest;
  const headers = Object.entries({ ...page.headers, connection: 'close', date: new Date().toUTCString() });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${page.status} ${STATUS_CODES[page.status]}\r\n${head}\r\n`), page.body]),
  );
}
