import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that the server got. */
export interface ScriptedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Of `performance.now()`. */
  at: number;
}

export type ScriptedAnswer = (response: ServerResponse) => void;

/** Answers by a list, the last one again and again, and keeps what was sent. */
export async function startScriptedServer(...answers: [ScriptedAnswer, ...ScriptedAnswer[]]) {
  const sent: ScriptedRequest[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const at = performance.now();
    sent.push({ method, url, headers, body: await buffer(request), at });
    (answers[sent.length - 1] ?? answers.at(-1)!)(response);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** An answer of the API. */
export const answer =
  (body: unknown, status = 200, headers: Record<string, string> = {}): ScriptedAnswer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** A failure of the API. */
export const refuse = (code: string, status: number, headers: Record<string, string> = {}): ScriptedAnswer =>
  answer({ code, message: 'Later.', requestId: 'request-1' }, status, headers);

/** Breaks the connection without an answer. */
export const breakOff: ScriptedAnswer = (response) => {
  response.destroy();
};
