import type { Socket } from 'node:net';
import { GuardedHttpError } from './error.ts';

// Node's own limit of the headers of an answer.
const maxBytes = 16 * 1_024;
const maxAnswers = 20;
const endOfHead = '\r\n\r\n';
// As many bytes tell which answer it is: `HTTP/1.1 100`. 101 is left to undici, which refuses it.
const statusBytes = 12;
const interim = /^HTTP\/1\.\d 1(?!01)\d\d/;

/**
 * Takes interim answers (RFC 9110 §15.2), like 100 and 103, out of what undici reads of a socket: it ends a connection at a 100 that it has
 * not asked for. A receiver that sends too many of them loses its connection.
 */
export function skipInterimAnswers(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket);
  // Whether a request was sent whose answer has not begun.
  let isDue = false;
  let held: Buffer = Buffer.alloc(0);
  let answers = 0;
  let bytes = 0;

  /** What follows the interim answers; null where the answer has not begun. */
  function skip(chunk: Buffer): Buffer | null {
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = Buffer.alloc(0);
    while (rest.length > 0) {
      const start = rest.toString('latin1', 0, statusBytes);
      const isShort = rest.length < statusBytes && 'HTTP/'.startsWith(start.slice(0, 5));
      if (!isShort && !interim.test(start)) {
        isDue = false;
        answers = 0;
        bytes = 0;
        return rest;
      }
      const end = rest.indexOf(endOfHead);
      const taken = end === -1 ? rest.length : end + endOfHead.length;
      if (bytes + taken > maxBytes || answers >= maxAnswers) {
        socket.destroy(new GuardedHttpError('protocol', 'The receiver sent too many interim answers.'));
        return null;
      }
      if (end === -1) {
        held = rest;
        return null;
      }
      bytes += taken;
      answers += 1;
      rest = rest.subarray(taken);
    }
    return null;
  }

  socket.write = ((...sent: Parameters<typeof write>) => {
    isDue = true;
    return write(...sent);
  }) as typeof write;
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size);
      if (chunk === null || !isDue) return chunk;
      const rest = skip(chunk);
      if (rest !== null) return rest;
    }
  };
}
