import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Handler, Reply, VisitRequest } from './exchange.ts';
import { parsePlainGet } from './plain-get.ts';

/** Connections on which nothing but plain GETs have come so far. */
export type PlainConnections = ReturnType<typeof createPlainConnections>;

interface PlainConnectionsOptions {
  handler: Handler;
  /** Headers of every answer, names and values in turn. */
  headers: readonly string[];
  /** From the beginning of a connection to its first request, in milliseconds. */
  firstMs: number;
  /** Between two requests of a connection, in milliseconds. */
  idleMs: number;
  /** Without a byte taken of an answer, in milliseconds. */
  unreadMs: number;
  /** How often connections are searched for late ones, in milliseconds. */
  lookEveryMs: number;
  /** Gives a connection to Node's server, with the bytes that came on it and are not answered. */
  handOver(socket: Socket, bytes: Buffer): void;
  /** Ends a connection that has brought no request in time. */
  onLate(socket: Socket): void;
}

interface Connection {
  readonly socket: Socket;
  /** When the client had the last answer, or the connection began (performance.now). */
  sinceMs: number;
  hasAnswered: boolean;
  /** Whether a request is being answered. */
  isBusy: boolean;
  /** Whether the next answer is the last one. */
  isLast: boolean;
  /** What came while a request was being answered. */
  waiting: Buffer | undefined;
}

// A client that sends its next request just in time must not meet a closed connection: as Node's server gives.
const graceMs = 1_000;

/**
 * Serves plain GETs, which nearly all visits are, straight from the socket: Node's server takes half of the processor time of a
 * redirect, and more of a new connection's (ADR 68). At the first request that is anything else, Node's server takes the connection
 * over for good.
 */
export function createPlainConnections(options: PlainConnectionsOptions) {
  const { handler, firstMs, idleMs, unreadMs, onLate } = options;
  const connections = new Set<Connection>();
  let isClosing = false;
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleMs / 1_000)}\r\n`;
  const endOfHead = {
    kept: createEndOfHead(options.headers, keepAlive),
    last: createEndOfHead(options.headers, closing),
  };

  function receive(connection: Connection, bytes: Buffer): void {
    const { socket } = connection;
    if (connection.isBusy) {
      // Nothing more comes until the socket is resumed.
      connection.waiting = bytes;
      socket.pause();
      return;
    }
    // Node's server waits for a client that does not read its answers.
    const get = socket.writableNeedDrain ? null : parsePlainGet(bytes);
    if (get === null) return handOver(connection, bytes);
    connection.isBusy = true;
    connection.isLast ||= get.isLast;
    const request: VisitRequest = { method: 'GET', url: get.url, headers: get.headers, socket };
    handler(request, new PlainReply(request, (head, body) => answer(connection, head, body)));
  }

  function handOver(connection: Connection, bytes: Buffer): void {
    connections.delete(connection);
    for (const event of events) connection.socket.removeAllListeners(event);
    options.handOver(connection.socket, bytes);
  }

  function answer(connection: Connection, head: string, body: Buffer | string): void {
    const { socket, waiting } = connection;
    const isLast = connection.isLast || isClosing;
    const text = head + (isLast ? endOfHead.last() : endOfHead.kept());
    if (body.length > 0) socket.cork();
    socket.write(text, 'latin1');
    if (body.length > 0) {
      socket.write(body);
      socket.uncork();
    }
    // Node notes what the client takes of a long answer, and tells only of a time without any.
    if (socket.writableLength > 0) socket.setTimeout(unreadMs);
    if (isLast) return end(socket);
    connection.isBusy = false;
    connection.hasAnswered = true;
    connection.sinceMs = performance.now();
    if (waiting === undefined || socket.destroyed) return;
    handOver(connection, waiting);
    socket.resume();
  }

  const looking = setInterval(() => {
    const nowMs = performance.now();
    for (const connection of connections) {
      const { socket, hasAnswered, isBusy } = connection;
      // While the client takes an answer, the connection is not idle.
      if (socket.writableLength > 0) connection.sinceMs = nowMs;
      if (isBusy || nowMs - connection.sinceMs <= (hasAnswered ? idleMs + graceMs : firstMs)) continue;
      if (hasAnswered) socket.destroy();
      else onLate(socket);
    }
  }, options.lookEveryMs);
  looking.unref();

  return {
    /** Serves a new connection. */
    accept(socket: Socket): void {
      const connection: Connection = {
        socket,
        sinceMs: performance.now(),
        hasAnswered: false,
        isBusy: false,
        isLast: false,
        waiting: undefined,
      };
      connections.add(connection);
      socket.on('data', (bytes: Buffer) => receive(connection, bytes));
      socket.on('end', () => {
        connection.isLast = true;
        if (!connection.isBusy) end(socket);
      });
      socket.on('timeout', () => {
        if (socket.writableLength > 0) socket.destroy();
      });
      socket.on('close', () => connections.delete(connection));
      // The socket closes by itself.
      socket.on('error', ignore);
    },
    /** Ends idle connections, and every other one after its answer. */
    close(): void {
      isClosing = true;
      clearInterval(looking);
      for (const { socket, isBusy } of connections) if (!isBusy) end(socket);
    },
  };
}

const events = ['data', 'end', 'timeout', 'close', 'error'] as const;
const closing = 'Connection: close\r\n';
// What a header may hold (RFC 9110 §5.5).
// oxlint-disable-next-line no-control-regex -- control characters are what it finds.
const forbidden = /[^\t\u0020-\u007e\u0080-\u00ff]/;

class PlainReply implements Reply {
  readonly request: VisitRequest;
  isSent = false;
  readonly #answer: (head: string, body: Buffer | string) => void;

  constructor(request: VisitRequest, answer: (head: string, body: Buffer | string) => void) {
    this.request = request;
    this.#answer = answer;
  }

  /** @throws Error for a header that would end its line: then nothing is sent. */
  send(status: number, headers: readonly string[], body: Buffer | string): void {
    if (this.isSent) throw new Error('An answer was sent already.');
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let index = 0; index < headers.length; index += 2) {
      const value = headers[index + 1]!;
      if (forbidden.test(value)) throw new Error(`The header ${headers[index]} holds a character that is not allowed.`);
      head += `${headers[index]}: ${value}\r\n`;
    }
    this.isSent = true;
    this.#answer(head, body);
  }
}

/** The lines that every answer's head ends with, for the second that it is sent in. @param headers names and values in turn. */
function createEndOfHead(headers: readonly string[], connection: string): () => string {
  const lines = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  let second = Number.NaN;
  let text = '';
  return () => {
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) {
      second = now;
      text = `${lines}Date: ${new Date(now * 1_000).toUTCString()}\r\n${connection}\r\n`;
    }
    return text;
  };
}

/** Ends a connection once the kernel has every written byte; the kernel sends them before the end. */
function end(socket: Socket): void {
  if (socket.writableLength === 0) socket.destroy();
  else socket.destroySoon();
}

function ignore(): void {}
