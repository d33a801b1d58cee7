import type { ClientBase } from 'pg';

/**
 * Cuts the socket of a connection: what waits for an answer fails, whether the server is there or not. `end` would wait for a
 * dead peer.
 */
export function sever(client: ClientBase, error?: Error): void {
  // `pg` has no method for it; the socket is not in its types.
  const { stream } = (client as unknown as { connection: { stream: { destroy(error?: Error): void } } }).connection;
  stream.destroy(error);
}
