import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A pooler in transaction mode: all connections share one session of the server, a transaction at a time. */
export interface TransactionPooler extends AsyncDisposable {
  /** The database's URL, by way of the pooler. */
  url: string;
}

interface Client {
  socket: Socket;
  /** Messages that wait for the session. */
  waiting: Buffer[];
}

const readyForQuery = 'Z'.charCodeAt(0);
const idle = 'I'.charCodeAt(0);
// Messages that the server answers with ReadyForQuery: Query and Sync.
const ending = new Set(['Q', 'S'].map((letter) => letter.charCodeAt(0)));
const terminate = 'X'.charCodeAt(0);

/** Splits a stream into messages of PostgreSQL's protocol. @param hasType false: a client's first message, which has no type. */
function splitter(onMessage: (message: Buffer) => void, hasType: () => boolean): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = hasType() ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(message);
    }
  };
}

/** Starts a pooler on a free port of 127.0.0.1. Its first client signs in, and the others have that client's session. */
export async function createTransactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  const target = new URL(databaseUrl);
  const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) });
  const sockets = new Set<Socket>([upstream]);
  const clients: Client[] = [];
  /** What the server said to the first client after it had signed in. */
  let greeting: Buffer[] = [];
  let isGreeted = false;
  let active: Client | undefined;
  let open = 0;

  function next(): void {
    if (!isGreeted) return;
    active ??= clients.find(({ waiting }) => waiting.length > 0);
    for (const message of active?.waiting.splice(0) ?? []) {
      if (ending.has(message[0]!)) open += 1;
      upstream.write(message);
    }
  }

  upstream.on('error', () => undefined);
  upstream.on(
    'data',
    splitter(
      (message) => {
        if (!isGreeted && message[0] === 'R'.charCodeAt(0)) greeting = [];
        if (!isGreeted) greeting.push(message);
        active?.socket.write(message);
        if (message[0] !== readyForQuery) return;
        open = Math.max(0, open - 1);
        isGreeted = true;
        if (open === 0 && message[5] === idle) active = undefined;
        next();
      },
      () => true,
    ),
  );
  const server = createServer((socket) => {
    sockets.add(socket);
    const client: Client = { socket, waiting: [] };
    clients.push(client);
    let hasBegun = false;
    const isFirst = clients.length === 1;
    socket.on('error', () => undefined);
    socket.on(
      'data',
      splitter(
        (message) => {
          if (!hasBegun) {
            hasBegun = true;
            if (isFirst) {
              active = client;
              upstream.write(message);
            } else socket.write(Buffer.concat(greeting));
            return;
          }
          // The password of the first client.
          if (!isGreeted) return void upstream.write(message);
          if (message[0] === terminate) return;
          client.waiting.push(message);
          next();
        },
        () => hasBegun,
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
