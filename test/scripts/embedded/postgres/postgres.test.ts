// @module-tag process

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresVersion, startPostgres, stopOrphanPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { processMark } from '#scripts/lib/lock.mjs';
import { freePorts } from '#test/support/free-ports.ts';
import { startPostgresOnFreePort } from '#test/support/postgres.ts';

let dataDir: string;
// A folder that only its owner may enter, as below /root: PostgreSQL must start here as well.
beforeAll(() => void (dataDir = mkdtempSync(join(tmpdir(), 'waymark-postgres-'))));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function rowsOf(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

test('a new cluster is UTF-8 with the builtin locale, on loopback alone, and keeps its data', async () => {
  const [port] = await freePorts(1);
  mkdirSync(join(dataDir, 'postgres.new-cut-off'));
  const first = await startPostgres({ dataDir, port: port! });
  const [database] = await rowsOf(
    first.url,
    `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
       current_setting('listen_addresses') as addresses, current_setting('server_version') as version
     from pg_database where datname = current_database()`,
  );
  expect(database).toEqual({
    encoding: 'UTF8',
    provider: 'b',
    locale: 'C.UTF-8',
    addresses: '127.0.0.1',
    version: postgresVersion(),
  });
  await rowsOf(first.url, 'create extension pg_trgm; create extension btree_gin; create table kept as select 1 as one');
  expect(await first.stop()).toEqual({ code: 0, signal: null });
  expect(readdirSync(dataDir).toSorted()).toEqual(['postgres', 'postgres-password']);
  expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);

  const again = await startPostgres({ dataDir, port: port! });
  expect(await rowsOf(again.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await again.stop();
});

test('a wrong password is refused', async () => {
  const [port] = await freePorts(1);
  const server = await startPostgres({ dataDir, port: port! });
  await expect(rowsOf(server.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow('password');
  await server.stop();
});

test('a server that a killed supervisor left behind is stopped', async () => {
  const [port, next] = await freePorts(2);
  const script = fileURLToPath(new URL('../../fixtures/abandon-servers.ts', import.meta.url));
  const pid = await new Promise<number>((resolve) => {
    execFile(process.execPath, [script, dataDir, String(port)], (_error, stdout) => resolve(Number(stdout)));
  });
  expect(processMark(pid)).toBeDefined();
  expect(await stopOrphanPostgres(dataDir)).toBe(true);
  expect(processMark(pid)).toBeUndefined();
  expect(await stopOrphanPostgres(dataDir)).toBe(false);
  const server = await startPostgres({ dataDir, port: next! });
  await server.stop();
});

test('a stale pid file that names an unrelated live process does not prevent the start', async () => {
  const [port] = await freePorts(1);
  writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(dataDir, 'postgres')}\n`);
  const server = await startPostgres({ dataDir, port: port! });
  expect(await rowsOf(server.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('a kill is noticed, and an immediate start after it recovers', async () => {
  const [port] = await freePorts(1);
  const server = await startPostgres({ dataDir, port: port! });
  process.kill(server.pid, 'SIGKILL');
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const again = await startPostgres({ dataDir, port: port! });
  expect(await rowsOf(again.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await again.stop({ hurry: true });
});

test('a start whose port another process has taken meanwhile is made again on another port', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port: taken } = other.address() as AddressInfo;
  const [free] = await freePorts(1);
  const ports = [taken, free!];
  const server = await startPostgresOnFreePort({ dataDir }, async () => ports.shift()!);
  other.close();
  expect(new URL(server.url).port).toBe(String(free));
  expect(await rowsOf(server.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('a start that fails for another reason is not made again', async () => {
  let starts = 0;
  const start = startPostgresOnFreePort({ dataDir, signal: AbortSignal.abort() }, async () => {
    starts += 1;
    return (await freePorts(1))[0]!;
  });
  await expect(start).rejects.toThrow('did not start');
  expect(starts).toBe(1);
});

test('an aborted start leaves no process running', async () => {
  const [port] = await freePorts(1);
  await expect(startPostgres({ dataDir, port: port!, signal: AbortSignal.abort() })).rejects.toThrow('did not start');
  expect(await stopOrphanPostgres(dataDir)).toBe(false);
});

test('a lost password is reported', async () => {
  const file = join(dataDir, 'postgres-password');
  const content = readFileSync(file);
  renameSync(file, `${file}.away`);
  await expect(startPostgres({ dataDir, port: 1 })).rejects.toThrow('postgres-password is missing');
  writeFileSync(file, content);
});
