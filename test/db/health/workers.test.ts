import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Meter, noMeter, type ReadSamples, type Sample } from '#core/lib/meter.ts';
import { measureInstallation } from '#db/health/installation-metrics.ts';
import { listWorkers, storeWorkerBeat } from '#db/health/workers.ts';
import { root } from '#scripts/lib/paths.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { insertWorker } from '#test/support/workers.ts';

const db = useTestDatabase();

const beat = (id: string, mayReplace: boolean): Promise<boolean> =>
  storeWorkerBeat(emOf(db), {
    id,
    host: 'here',
    pid: 1,
    version: '0',
    takesTasks: true,
    diskFreeBytes: null,
    diskBytes: null,
    scanner: null,
    lastTaskAgoMs: 0,
    mayReplace,
  });

test('a worker takes the place of one that fell silent before it began, of its own machine first', async () => {
  const em = emOf(db);
  const idsOf = async () => (await listWorkers(em)).map(({ id }) => id).toSorted();
  const [elsewhere, mine] = [await insertWorker(db, { agoMs: 60_000 }), await insertWorker(db, { agoMs: 40_000 })];
  await db.query(`update workers set host = 'here' where id = $1`, [mine]);
  const first = randomUUID();
  expect(await beat(first, true)).toBe(true);
  expect(await idsOf()).toEqual([elsewhere, first].toSorted());
  // One return is for one worker: the other one is still missing.
  expect(await beat(first, false)).toBe(false);
  expect(await idsOf()).toEqual([elsewhere, first].toSorted());
  expect(await beat(randomUUID(), true)).toBe(true);
  // It began before this one fell silent.
  await db.query(`update workers set started_at = now() - interval '1 hour'`);
  const later = await insertWorker(db, { agoMs: 31_000 });
  expect(await beat(first, true)).toBe(false);
  expect(await idsOf()).toContain(later);
});

/** Whether the condition of WaymarkWorkerSilent holds for what a process tells now. */
async function isAlerting(): Promise<boolean> {
  const { groups } = parse(readFileSync(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const { expr } = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === 'WaymarkWorkerSilent')!;
  const [, name, label, value, bound] = /^max\((\w+)\{(\w+)="(\w+)"\}\) > (\d+)$/.exec(expr)!;
  const told: ReadSamples[] = [];
  const gauge: Meter['gauge'] = (metric, _help, read) => void (metric === name && told.push(read));
  measureInstallation({ ...noMeter, gauge }, emOf(db));
  const samples = (await told[0]!()) as Sample[];
  return samples.find(({ labels }) => labels?.[label!] === value)!.value > Number(bound);
}

test('the alert WaymarkWorkerSilent ends as the worker returns, or as another one comes in its place', async () => {
  await db.query('delete from workers');
  const [first, second] = [randomUUID(), randomUUID()];
  await beat(first, true);
  expect(await isAlerting()).toBe(false);
  const fallSilent = () => db.query(`update workers set heard_at = now() - interval '31 seconds'`);
  await fallSilent();
  expect(await isAlerting()).toBe(true);
  // It hung, and goes on.
  await beat(first, false);
  expect(await isAlerting()).toBe(false);
  await fallSilent();
  expect(await isAlerting()).toBe(true);
  await beat(second, true);
  expect(await isAlerting()).toBe(false);
});
