// @module-tag process
// @module-tag nightly

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { useTestEdge, visitEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';

// Twenty edges in three regions: beside the primary, 80 and 150 ms away. Two regions are cut off, one after the other.

const edge = useTestEdge();
const regions = [
  { roundTripMs: 0, edges: 7 },
  { roundTripMs: 80, edges: 7 },
  { roundTripMs: 150, edges: 6 },
];
const plainLinks = 20;
const cap = 300;

interface Region {
  name: string;
  way: TcpProxy;
  addresses: string[];
}

async function startRegion(roundTripMs: number, edges: number, stopped: AsyncDisposableStack): Promise<Region> {
  const way = stopped.use(await createTcpProxy(edge.databaseUrl, roundTripMs));
  const folder = mkdtempSync(join(tmpdir(), 'waymark-region-'));
  stopped.defer(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (): Promise<string> => {
    const child = spawn(process.execPath, ['test/support/edge-process.ts'], {
      env: { ...process.env, DATABASE_URL: way.url, WAYMARK_DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    stopped.defer(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
    return address;
  };
  const addresses = await Promise.all(Array.from({ length: edges }, start));
  return { name: `${roundTripMs} ms`, way, addresses };
}

test('20 edges in 3 regions that are cut off in turn redirect from memory, lose no click, count none twice and pass no cap', async () => {
  await using stopped = new AsyncDisposableStack();
  const all: Region[] = [];
  for (const { roundTripMs, edges } of regions) all.push(await startRegion(roundTripMs, edges, stopped));
  const links = await Promise.all(Array.from({ length: plainLinks }, () => edge.link()));
  const capped = await edge.link({ maxClicks: cap });
  const { domain: host } = edge.domain;
  const redirects = new Map([...links, capped].map(({ id }) => [id, 0]));
  const taken = new Map<string, number[]>();

  async function visit({ name }: Region, address: string, link: { id: string; slug: string }): Promise<number> {
    const startedAt = performance.now();
    const { status } = await visitEdge(address, `/${link.slug}`, { host });
    if (link !== capped) taken.set(name, [...(taken.get(name) ?? []), performance.now() - startedAt]);
    if (status === 302) redirects.set(link.id, redirects.get(link.id)! + 1);
    return status;
  }

  /** Every edge is visited for every link, and as often for the capped one. @returns statuses of plain and of capped links. */
  async function round(): Promise<{ plain: Set<number>; capped: Set<number> }> {
    const statuses = { plain: new Set<number>(), capped: new Set<number>() };
    const edges = all.flatMap((region) => region.addresses.map((address) => ({ region, address })));
    await Promise.all(
      edges.map(async ({ region, address }) => {
        for (const link of links) statuses.plain.add(await visit(region, address, link));
        statuses.capped.add(await visit(region, address, capped));
      }),
    );
    return statuses;
  }

  /** @returns how long visits of plain links took since the last call, by region. */
  function times(): Record<string, string> {
    const told = [...taken].map(([name, ms]) => {
      const sorted = ms.toSorted((one, other) => one - other);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(0);
      return [name, `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${sorted.length}`] as const;
    });
    taken.clear();
    return Object.fromEntries(told);
  }

  // A cold link waits for the distance; on a busy machine an edge gives up and is asked again.
  await eventually(round, ({ plain }) => !plain.has(503));
  console.log('cold', times());
  expect((await round()).plain).toEqual(new Set([302]));
  console.log('warm', times());
  for (const [name, fault] of [
    ['80 ms', 'cut'],
    ['150 ms', 'freeze'],
  ] as const) {
    const region = all.find((one) => one.name === name)!;
    region.way[fault]();
    for (let count = 0; count < 3; count += 1) {
      const { plain, capped: statuses } = await round();
      // What is in memory is answered, whatever the primary does; a cap is never guessed.
      expect(plain).toEqual(new Set([302]));
      expect([302, 410, 503]).toEqual(expect.arrayContaining([...statuses]));
    }
    console.log(`${name} ${fault}`, times());
    region.way.restore();
  }
  // The cap is used up from every edge at once.
  await Promise.all(
    all.flatMap((region) =>
      region.addresses.map((address) =>
        eventually(
          () => visit(region, address, capped),
          (status) => status === 410,
        ),
      ),
    ),
  );
  expect(redirects.get(capped.id)).toBeLessThanOrEqual(cap);

  for (const { id } of links) {
    const { rows } = await eventually(
      () =>
        edge.db.query<{ clicks: number; ids: number; counted: number }>(
          `select count(*)::int as clicks, count(distinct id)::int as ids,
            (select clicks::int from link_counters where link_id = $1) as counted
           from clicks where link_id = $1`,
          [id],
        ),
      (found) => found.rows[0]!.clicks >= redirects.get(id)!,
    );
    const visits = redirects.get(id)!;
    expect(rows).toEqual([{ clicks: visits, ids: visits, counted: visits }]);
  }
  const { rows } = await edge.db.query<{ clicks: number; ids: number }>(
    'select count(*)::int as clicks, count(distinct id)::int as ids from clicks where link_id = $1',
    [capped.id],
  );
  expect(rows[0]!.clicks).toBe(rows[0]!.ids);
  expect(rows[0]!.clicks).toBeLessThanOrEqual(cap);
  expect(rows[0]!.clicks).toBeGreaterThanOrEqual(redirects.get(capped.id)!);
});
