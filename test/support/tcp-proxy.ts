import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a database that can be cut. */
export interface TcpProxy extends AsyncDisposable {
  /** The database's URL, by way of the proxy. */
  url: string;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Lets connections live but carries no byte, as a network does that has lost its way. */
  freeze(): void;
  /** Ends `cut` and `freeze`; connections that were frozen go on. */
  restore(): void;
}

/**
 * Starts a TCP proxy before the server of a database URL, on a free port of 127.0.0.1.
 * @param roundTripMs what the way there and back adds, as a distance does.
 */
export async function createTcpProxy(databaseUrl: string, roundTripMs = 0): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'frozen' = 'open';

  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        // Timers of one length end in the order of their begin.
        if (roundTripMs === 0) to.write(bytes);
        else setTimeout(() => to.writable && to.write(bytes), roundTripMs / 2);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), roundTripMs / 2);
      });
      if (state === 'frozen') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut() {
      state = 'cut';
      destroyAll();
    },
    freeze() {
      state = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    restore() {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
