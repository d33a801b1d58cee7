// @module-tag process

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { isStatementTimeout } from '#db/connection/errors.ts';
import { startClickHouse } from '#scripts/embedded/clickhouse/clickhouse.ts';
import { clickHousePidFile, findRunningClickHouse } from '#scripts/embedded/clickhouse/running.ts';
import { ensureClickHousePassword } from '#scripts/supervisor/secrets.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { freePorts } from '#test/support/free-ports.ts';

describe.skipIf(chdb === undefined)('the ClickHouse of tests', () => {
  const clickhouse = useClickHouse();

  beforeAll(async () => {
    await clickhouse.execute(
      'create table t (id UInt32, v String) engine = MergeTree order by id settings non_replicated_deduplication_window = 10',
    );
  });

  test('it is a release of ClickHouse that counts in integers', async () => {
    expect(await clickhouse.query('select version() as version, toUInt64(1) as one')).toEqual([
      { version: expect.stringMatching(/^26\./) as string, one: 1 },
    ]);
  });

  test('parameters keep every character', async () => {
    const text = `it's "a" \\ tab\t line\n {x:String} ä 😀`;
    expect(
      await clickhouse.query('select {text:String} as text, {list:Array(String)} as list', { text, list: [text] }),
    ).toEqual([{ text, list: [text] }]);
  });

  test('an insert that cannot be read inserts nothing', async () => {
    const lines = Buffer.from('7\tx\nseven\tx\n');
    await expect(clickhouse.insert('insert into t (id, v)', lines, 'third')).rejects.toMatchObject({
      type: expect.stringMatching(/^CANNOT_PARSE_/) as string,
    });
    expect(await clickhouse.query('select count() as n from t where id = 7')).toEqual([{ n: 0 }]);
  });

  test('errors have their code, and the next query is answered', async () => {
    await expect(clickhouse.query('selec 1')).rejects.toMatchObject({ code: '62', type: 'SYNTAX_ERROR' });
    await expect(clickhouse.query('select 1 from nowhere')).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' });
    expect(clickhouse.isUp()).toBe(true);
    expect(await clickhouse.ping()).toBe(true);
  });

  test('a query that takes too long ends with an error that says so', async () => {
    const url = new URL(clickhouse.url);
    const client = createClient({ url, clickhouse_settings: { max_execution_time: 1 }, log: { level: 127 } });
    const error: unknown = await client
      .query({ query: 'select max(sipHash64(number)) from numbers(1000000000000)' })
      .catch((failure: unknown) => failure);
    await client.close();
    expect(isStatementTimeout(error)).toBe(true);
    expect(await clickhouse.query(`select getSetting('max_execution_time') as seconds`)).toEqual([{ seconds: 60 }]);
  });

  test('another password is refused', async () => {
    const url = new URL(clickhouse.url);
    url.password = 'another';
    const client = createClient({ url, log: { level: 127 } });
    await expect(client.command({ query: 'select 1' })).rejects.toMatchObject({ type: 'AUTHENTICATION_FAILED' });
    await client.close();
  });

  test('rows can be read as they come', async () => {
    const rows: number[] = [];
    for await (const { n } of clickhouse.stream<{ n: number }>('select number as n from numbers(3000)')) rows.push(n);
    expect(rows).toEqual(Array.from({ length: 3_000 }, (_, index) => index));
  });
});

describe.skipIf(chdb === undefined)('the ClickHouse of npm start', () => {
  test('a command finds it by the data folder alone, while it runs', async () => {
    const dataDir = mkdtempSync(join(inject('stack').folder, 'clickhouse-'));
    const [port] = await freePorts(1);
    const password = ensureClickHousePassword(dataDir);
    expect(findRunningClickHouse(dataDir)).toBeUndefined();
    const server = await startClickHouse({ packages: chdb!, dataDir, port: port!, password });
    try {
      expect(findRunningClickHouse(dataDir)).toBe(server.url);
      writeFileSync(clickHousePidFile(dataDir), `${process.pid}\n${port}\n`);
      expect(findRunningClickHouse(dataDir)).toBeUndefined();
      writeFileSync(clickHousePidFile(dataDir), `${server.pid}\n${port}\n`);
    } finally {
      await server.stop({ hurry: true });
    }
    expect(findRunningClickHouse(dataDir)).toBeUndefined();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
