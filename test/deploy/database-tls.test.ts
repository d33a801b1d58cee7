import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { createMigrationOrm } from '#db/connection/orm.ts';
import { freePorts } from '#test/support/free-ports.ts';

// A managed PostgreSQL refuses connections without TLS.

// The code of SSLRequest in PostgreSQL's protocol.
const tlsRequest = 80_877_103;

/** Lets something connect to a server that has no TLS. @returns the code that it began with. */
async function firstRequest(connect: (url: string) => Promise<unknown>): Promise<number | undefined> {
  const [port] = await freePorts(1);
  let code: number | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      code = bytes.readUInt32BE(4);
      socket.end('N');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await expect(connect(`postgres://waymark:secret@127.0.0.1:${port}/waymark?sslmode=verify-full`)).rejects.toThrow(
    'SSL',
  );
  await new Promise((resolve) => server.close(resolve));
  return code;
}

test('the processes ask for TLS where DATABASE_URL does', async () => {
  const code = await firstRequest(async (url) => {
    const db = createDatabase({ url });
    try {
      await db.query('select 1');
    } finally {
      await db.close();
    }
  });
  expect(code).toBe(tlsRequest);
});

test('migrations and commands reach the database by TLS too', async () => {
  const code = await firstRequest(async (url) => {
    const orm = createMigrationOrm(url);
    try {
      await orm.em.getConnection().execute('select 1');
    } finally {
      await orm.close();
    }
  });
  expect(code).toBe(tlsRequest);
});
