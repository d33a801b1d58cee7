import type { Client, Dispatcher } from 'undici';
import type { AwaitedAnswer } from './interim-answers.ts';

/** A connection, which carries one request at a time. */
export interface Connection {
  readonly origin: string;
  /** Connects when it gets a request. */
  readonly client: Client;
  readonly answer: AwaitedAnswer;
  /** Requests that were answered since it connected. */
  answers: number;
}

interface Origin {
  /** Those without a request, the one used last at the end. */
  readonly free: Connection[];
  count: number;
}

/**
 * Connections that stay open, by origin, without a maximum. A request gets the free connection that was used last, so that
 * connections which are not needed any more fall idle and close. undici's own pool looks for a free one among all of an origin's,
 * and takes or opens another one while the last answer is still being read (bench row W1).
 */
export class Connections {
  readonly #open: (origin: string, answer: AwaitedAnswer) => Client;
  readonly #origins = new Map<string, Origin>();
  readonly #all = new Set<Connection>();

  /** @param open makes a client of undici. */
  constructor(open: (origin: string, answer: AwaitedAnswer) => Client) {
    this.#open = open;
  }

  /** Takes a free connection, or opens one; the caller gives it back by `release` or `drop`. */
  take(origin: string): Connection {
    const free = this.#origins.get(origin)?.free.pop();
    if (free !== undefined) return free;
    const answer = { isDue: false };
    const client = this.#open(origin, answer);
    const connection = { origin, client, answer, answers: 0 };
    let ofOrigin = this.#origins.get(origin);
    if (ofOrigin === undefined) this.#origins.set(origin, (ofOrigin = { free: [], count: 0 }));
    ofOrigin.count += 1;
    this.#all.add(connection);
    // One in use connects again by itself if its request was not sent yet.
    client.on('disconnect', () => {
      connection.answers = 0;
      const index = ofOrigin.free.indexOf(connection);
      if (index === -1) return;
      ofOrigin.free.splice(index, 1);
      this.drop(connection);
    });
    return connection;
  }

  /** Gives back a connection whose request was answered. */
  release(connection: Connection): void {
    connection.answers += 1;
    if (this.#all.has(connection)) this.#origins.get(connection.origin)!.free.push(connection);
  }

  /** Gives back a connection whose request failed or was given up, and closes it. */
  drop(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    const ofOrigin = this.#origins.get(connection.origin)!;
    ofOrigin.count -= 1;
    if (ofOrigin.count === 0) this.#origins.delete(connection.origin);
    // Later: undici may be in the middle of its work on this client.
    queueMicrotask(() => void connection.client.destroy());
  }

  /** Closes all connections; requests that are under way fail. */
  async close(): Promise<void> {
    const clients = [...this.#all].map(({ client }) => client);
    this.#all.clear();
    this.#origins.clear();
    await Promise.all(clients.map((client) => client.destroy()));
  }
}

/**
 * Sends a request over a connection. Some receivers close each connection after its first answer without saying so: the second
 * request of a connection waits until that would have been noticed, and later ones follow at once.
 */
export function dispatch(
  { client, answer, answers }: Connection,
  request: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): void {
  answer.isDue = true;
  if (answers === 1) setImmediate(() => client.dispatch(request, handler));
  else client.dispatch(request, handler);
}
