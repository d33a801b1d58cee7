// @module-tag process

import { describe, expect, test } from 'vitest';
import { removeAllClicks, removeOldClicks, rewriteRemoved } from '#db/clicks/clickhouse/removal.ts';
import { migrateClickHouse } from '#db/clicks/clickhouse/schema.ts';
import { type ClickHouse, connectClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';

const cluster = 'main-1';

/** A ClickHouse on a cluster that keeps its statements, and answers each question with one row. */
function recorded(row: object): { clickhouse: ClickHouse; texts: string[] } {
  const texts: string[] = [];
  const keep = async (text: string): Promise<void> => void texts.push(text);
  const { onCluster } = connectClickHouse({
    url: `http://127.0.0.1:1/waymark?cluster=${cluster}`,
    timeoutMs: 1_000,
    applicationName: 'test',
  });
  const clickhouse = {
    database: 'waymark',
    cluster,
    onCluster,
    createDatabase: async () => {},
    execute: keep,
    query: (text: string) => keep(text).then(() => [row]),
  } as unknown as ClickHouse;
  return { clickhouse, texts };
}

async function recordAll(): Promise<string[]> {
  const { clickhouse, texts } = recorded({ month: '202403', shard: 'clicks_shard', parts: 1, clicks: 1 });
  await migrateClickHouse(clickhouse);
  await removeAllClicks(clickhouse, '018e9c0f-0000-7000-8000-000000000001');
  await removeOldClicks(clickhouse, '2024-04-10');
  await rewriteRemoved(clickhouse);
  return texts;
}

test('on a cluster every server has a shard of each table, and all clicks of an organization are in one', async () => {
  const texts = (await recordAll()).filter((text) => text.startsWith('create'));
  expect(texts.map((text) => /^create table if not exists (\w+ on cluster '[\w-]+')/.exec(text)?.[1])).toEqual([
    `clicks_shard on cluster '${cluster}'`,
    `clicks on cluster '${cluster}'`,
    `bot_clicks_shard on cluster '${cluster}'`,
    `bot_clicks on cluster '${cluster}'`,
  ]);
  expect(texts[0]).toContain('engine = ReplicatedMergeTree');
  expect(texts[1]).toContain(
    `Distributed('${cluster}', {database:String}, 'clicks_shard', sipHash64(organization_id))`,
  );
});

test('on a cluster clicks are removed from the shards of every server', async () => {
  const changes = (await recordAll()).filter((text) => /^(alter|delete)/.test(text));
  expect(changes.length).toBeGreaterThanOrEqual(5);
  for (const text of changes) expect(text).toMatch(/^(alter table|delete from) \w+_shard on cluster 'main-1' /);
});

describe.skipIf(chdb === undefined)('the syntax of ClickHouse', { tags: 'nightly' }, () => {
  const engine = useClickHouse();

  test('it has every statement for a cluster', async () => {
    for (const text of await recordAll())
      expect(await engine.query('select formatQuery({text:String}) as formatted', { text })).toHaveLength(1);
    await using stack = new AsyncDisposableStack();
    // Its settings too.
    const url = `${engine.url}?cluster=${cluster}`;
    const onCluster = stack.adopt(connectClickHouse({ url, timeoutMs: 60_000, applicationName: 'test' }), (one) =>
      one.close(),
    );
    expect(await onCluster.query('select 1 as one')).toEqual([{ one: 1 }]);
    await expect(engine.query('select formatQuery({text:String})', { text: 'delete of clicks' })).rejects.toThrow(
      'Syntax error',
    );
  });
});
