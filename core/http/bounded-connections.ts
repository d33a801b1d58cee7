import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that wait for their answers; the others wait unread. Browsers pipeline none, tools some ten. */
export const maxUnanswered = 16;
/** Milliseconds without a byte taken of answers under way: as long as a client of the API may take to send a request. */
export const unreadMs = 30_000;
/** Bytes that a connection may hold of requests that were read and not begun, beside the last read of 64 KiB. */
export const readAheadBytes = 16 * 1_024;

const endOfHead = '\r\n\r\n';

/**
 * Bounds what a connection of `server` takes of memory and time: past `maxUnanswered` requests it is not read until an answer is
 * sent, and a client that takes no byte of its answers for `unreadMs` is cut. Node parses all requests of a read at once, which are
 * some 2,000 in 64 KiB. To be called before the server listens.
 */
export function boundConnections(server: Server, deadlineMs = unreadMs): void {
  const connections = new WeakMap<Socket, { unanswered: number; onAnswered(): void }>();
  const [serve] = server.listeners('connection') as ((socket: Socket) => void)[];

  const count = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.get(socket)!;
    connection.unanswered += 1;
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
      onAnswered() {
        if (!isHeld || connection.unanswered >= maxUnanswered) return;
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

    // Gives Node's parser as many requests as may begin.
    function receive(bytes: Buffer): void {
      let rest = bytes;
      isHeld = false;
      while (rest.length > 0 && socket.writable) {
        if (connection.unanswered >= maxUnanswered && !socket.isPaused()) {
          isHeld = true;
          socket.pause();
        }
        // Node itself pauses a connection whose answers wait.
        if (socket.isPaused()) return socket.unshift(rest);
        const end = endOfHeads(rest, maxUnanswered - connection.unanswered);
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

/** The index behind the `most`th end of a head in `bytes`, or their length: the bytes before it hold no more requests. */
function endOfHeads(bytes: Buffer, most: number): number {
  let end = 0;
  for (let heads = 0; heads < most; heads += 1) {
    const at = bytes.indexOf(endOfHead, end, 'latin1');
    if (at === -1) return bytes.length;
    end = at + endOfHead.length;
  }
  return end;
}
