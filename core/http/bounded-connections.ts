import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds without a byte taken of answers under way: as long as a client of the API may take to send a request. */
export const unreadMs = 30_000;
/** Bytes that a connection may hold of requests that were read and not begun, beside the last read of 64 KiB. */
export const readAheadBytes = 16 * 1_024;

const endOfHead = '\r\n\r\n';

/**
 * Bounds what a connection of `server` takes of memory and time: it is not read before its last request is answered (ADR 68), and a
 * client that takes no byte of its answers for `unreadMs` is cut. To be called before the server listens.
 */
export function boundConnections(server: Server, deadlineMs = unreadMs): void {
  const connections = new WeakMap<Socket, { unanswered: number; last?: IncomingMessage; onAnswered(): void }>();
  const [serve] = server.listeners('connection') as ((socket: Socket) => void)[];

  const count = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.get(request.socket)!;
    connection.unanswered += 1;
    connection.last = request;
    response.once('close', () => {
      connection.unanswered -= 1;
      connection.onAnswered();
    });
  };
  server.prependListener('request', count);
  // Both servers answer requests with an unknown Expect header as others.
  server.prependListener('checkExpectation', count);

  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    let isHeld = false;
    const connection = {
      unanswered: 0,
      last: undefined as IncomingMessage | undefined,
      onAnswered() {
        if (!isHeld || connection.unanswered > 0) return;
        // Other connections get their turn in between.
        setImmediate(() => {
          if (!isHeld) return;
          isHeld = false;
          socket.resume();
        });
      },
    };
    connections.set(socket, connection);
    serve!.call(server, socket);
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];

    // Gives Node's parser one request.
    function receive(bytes: Buffer): void {
      let rest = bytes;
      isHeld = false;
      while (rest.length > 0 && socket.writable) {
        // The rest of a request that is not complete is its body.
        if (connection.unanswered > 0 && connection.last!.complete && !socket.isPaused()) {
          isHeld = true;
          socket.pause();
        }
        // Node itself pauses a connection whose answers wait.
        if (socket.isPaused()) return socket.unshift(rest);
        const endOfOne = rest.indexOf(endOfHead, 0, 'latin1');
        const end = endOfOne === -1 ? rest.length : endOfOne + endOfHead.length;
        parse!(rest.subarray(0, end));
        rest = rest.subarray(end);
      }
    }
    socket.on('data', receive);
    socket.off('data', parse!);
  });

  server.timeout = deadlineMs;
  server.on('timeout', (socket: Socket) => {
    // A request that is still being answered may take longer.
    const isBeingAnswered = socket.writableLength === 0 && connections.get(socket)!.unanswered > 0;
    if (!isBeingAnswered) socket.destroy();
  });
}
