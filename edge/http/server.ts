import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { boundConnections, readAheadBytes, unreadMs } from '#core/http/bounded-connections.ts';
import { transportSecurity } from '#core/http/transport-security.ts';
import type { VisitCounts } from '#edge/metrics.ts';
import { answerBadRequest, endWithPage, refuseTunnel, sendPage, sendPreflight } from '#edge/pages/respond.ts';
import type { Handler, Reply, VisitRequest } from './exchange.ts';
import { createPlainConnections, type PlainConnections } from './plain-connections.ts';

/** How long clients may take, in milliseconds. */
export interface Deadlines {
  /** From the first byte of a request, or from the connection, to the end of its headers. */
  headersMs: number;
  /** To the end of its body. */
  requestMs: number;
  /** Between two requests of a connection. */
  idleMs: number;
  /** Without a byte taken of an answer. */
  unreadMs?: number;
}

export interface ListenAddress {
  host: string;
  port: number;
  reusePort?: boolean;
}

export type HttpServer = ReturnType<typeof createHttpServer>;

interface HttpServerOptions {
  handler: Handler;
  counts: VisitCounts;
  deadlines: Deadlines;
  isHttps: boolean;
  log: Pick<Logger, 'error'>;
}

const loopback = ['127.0.0.1', '::1'];
const maxHeaderBytes = 16 * 1_024;
// Node's default is 30 s, which would add as much to every deadline.
const lookForLateEveryMs = 1_000;
const closeIdleEveryMs = 50;

/**
 * Creates a server, at one address or at every address of `localhost`, whose every path goes to one handler, which reads the request
 * target itself.
 */
export function createHttpServer({ handler, counts, deadlines, isHttps, log }: HttpServerOptions) {
  const { visits } = counts;
  const transportHeaders = Object.entries(transportSecurity(isHttps)).flat();
  const servers: Server[] = [];
  const plainConnections: PlainConnections[] = [];
  const lookEveryMs = Math.min(lookForLateEveryMs, deadlines.headersMs);
  let isClosing = false;

  /** Answers a request of Node's server. */
  function answer(request: IncomingMessage, response: ServerResponse): void {
    const closing = isClosing ? ['connection', 'close'] : [];
    const reply = new NodeReply(request, response, [...transportHeaders, ...closing]);
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      visits.preflight += 1;
      return sendPreflight(reply);
    }
    if (!['GET', 'HEAD', 'POST'].includes(request.method!)) {
      visits.methodNotAllowed += 1;
      return sendPage(reply, 'methodNotAllowed');
    }
    if (request.httpVersionMajor === 0 || hasTwoHosts(request.rawHeaders)) {
      visits.badRequest += 1;
      return sendPage(reply, 'badRequest');
    }
    handle(request, reply);
  }

  function handle(request: VisitRequest, reply: Reply): void {
    try {
      handler(request, reply);
    } catch (error) {
      visits.failed += 1;
      log.error({ err: error }, 'a request failed');
      if (!reply.isSent) sendPage(reply, 'failed');
    }
  }

  function create(): Server {
    const server = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        // A GET has no body to wait for the end of.
        optimizeEmptyRequests: true,
        headersTimeout: deadlines.headersMs,
        requestTimeout: deadlines.requestMs,
        keepAliveTimeout: deadlines.idleMs,
        connectionsCheckingInterval: lookEveryMs,
        highWaterMark: readAheadBytes,
      },
      answer,
    );
    // Node would answer 417 to Expect headers that it does not know; the edge ignores them.
    server.on('checkExpectation', answer);
    boundConnections(server, deadlines.unreadMs);
    const [serve] = server.listeners('connection') as ((socket: Socket) => void)[];
    const plain = createPlainConnections({
      handler: handle,
      headers: transportHeaders,
      firstMs: deadlines.headersMs,
      idleMs: deadlines.idleMs,
      unreadMs: deadlines.unreadMs ?? unreadMs,
      lookEveryMs,
      handOver(socket, bytes) {
        serve!.call(server, socket);
        socket.emit('data', bytes);
      },
      onLate(socket) {
        endWithPage(socket, 'timeout', transportHeaders);
        socket.destroySoon();
      },
    });
    plainConnections.push(plain);
    server.removeAllListeners('connection');
    server.on('connection', (socket) => plain.accept(socket));
    server.on('clientError', (error, socket) => answerBadRequest(error, socket, transportHeaders));
    server.on('connect', (_request, socket) => {
      visits.methodNotAllowed += 1;
      refuseTunnel(socket, transportHeaders);
    });
    servers.push(server);
    return server;
  }

  return {
    /** Returns the address, as `http://127.0.0.1:3001`. @throws (rejects) Error of the address, like EADDRINUSE. */
    async listen({ host, port, reusePort }: ListenAddress): Promise<string> {
      // Node by itself would listen at the first of them.
      const [first, ...others] = host === 'localhost' ? loopback : [host];
      const bound = await listenAt(create(), { host: first!, port, reusePort });
      // A machine may be without IPv6.
      for (const other of others) await listenAt(create(), { host: other, port: bound.port, reusePort }).catch(ignore);
      return `http://${isIPv6(bound.address) ? `[${bound.address}]` : bound.address}:${bound.port}`;
    },
    /** Stops accepting, and answers the requests under way. */
    async close(): Promise<void> {
      isClosing = true;
      for (const connections of plainConnections) connections.close();
      // A closing server closes idle connections only once; others become idle when their answers end.
      const idle = setInterval(() => {
        for (const server of servers) server.closeIdleConnections();
      }, closeIdleEveryMs);
      const isListening = servers.filter((server) => server.listening);
      await Promise.all(isListening.map((server) => new Promise((resolve) => server.close(resolve))));
      clearInterval(idle);
    },
  };
}

/** The answer to a request of Node's server. */
class NodeReply implements Reply {
  readonly request: VisitRequest;
  readonly #response: ServerResponse;
  readonly #headers: readonly string[];

  /** @param headers of every answer. */
  constructor(request: VisitRequest, response: ServerResponse, headers: readonly string[]) {
    this.request = request;
    this.#response = response;
    this.#headers = headers;
  }

  get isSent(): boolean {
    return this.#response.headersSent;
  }

  send(status: number, headers: readonly string[], body: Buffer | string): void {
    this.#response.writeHead(status, [...headers, ...this.#headers]).end(body);
  }
}

async function listenAt(server: Server, address: ListenAddress): Promise<AddressInfo> {
  await once(server.listen(address), 'listening');
  return server.address() as AddressInfo;
}

/** Whether there are two Host headers: a proxy in front may have used the other one (RFC 9112 §3.2). */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function ignore(): void {}
