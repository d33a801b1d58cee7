// @module-tag process

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectTemporal } from '#adapters/temporal/client.ts';
import { describeBacklog, readBacklog } from '#db/health/readiness.ts';
import { listWorkers } from '#db/health/workers.ts';
import { childEnvironment } from './support/child-environment.ts';
import { createLinkOwner, createScannedLinks, type LinkOwner, type ScannedLink } from './support/durable.ts';
import { eventually } from './support/eventually.ts';
import { createFakeWebRisk, type FakeWebRisk } from './support/fake-web-risk.ts';
import { freeNeighbours, freePorts } from './support/free-ports.ts';
import { metricsOf } from './support/metrics.ts';
import { temporalForTest, useTestDatabase } from './support/stack.ts';
import { createTemporalGate } from './support/temporal-gate.ts';
import { emOf } from './support/entity-managers.ts';

// TASK_QUEUE_TYPE_ACTIVITY of Temporal's API.
const activityQueue = 2;
const workerPath = join(import.meta.dirname, '..', 'worker.ts');
let fake: FakeWebRisk;
let owner: LinkOwner;
let children: ChildProcess[];
let counter = 0;

const db = useTestDatabase({ onError: () => {} });
beforeAll(async () => {
  fake = await createFakeWebRisk();
  owner = await createLinkOwner(db);
});
beforeEach(() => {
  children = [];
  fake.lookups.length = 0;
  fake.fault(() => undefined);
});
afterEach(async () => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) await end(child, 'SIGKILL');
});
afterAll(() => fake[Symbol.asyncDispose]());

const nextUrls = (count: number): string[] =>
  Array.from({ length: count }, () => `https://site${(counter += 1)}.example/`);

function run(env: Record<string, string>): { child: ChildProcess; ready: Promise<unknown>; output: () => string } {
  const child = spawn(process.execPath, [workerPath], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...childEnvironment, LOG_LEVEL: 'debug', ...env },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  return { child, ready: once(child, 'message'), output: () => output };
}

function settings(temporal: { address: string; taskQueue?: string }): Record<string, string> {
  return {
    DATABASE_URL: db.url,
    SECRET_KEY: 'k'.repeat(32),
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_TASK_QUEUE: temporal.taskQueue ?? 'test',
    WEB_RISK_ENDPOINT: fake.url,
  };
}

async function end(
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const exited = once(child, 'exit');
  child.kill(signal);
  const [code, by] = (await exited) as [number | null, NodeJS.Signals | null];
  return { code, signal: by };
}

const allDone = (links: readonly ScannedLink[]) =>
  eventually(async () => {
    const { rows } = await db.query<{ open: number }>(
      `select count(*) as open from threat_verdicts where due_at is not null and url = any($1)`,
      [links.map((link) => link.url)],
    );
    return rows[0]!.open === 0;
  });

describe('the worker process', () => {
  test('says what it lacks, and ends', { tags: 'nightly' }, async () => {
    const cases = [
      [{}, 'TEMPORAL_ADDRESS'],
      [
        { ...settings({ address: '127.0.0.1:1' }), WEB_RISK_ENDPOINT: '', THREAT_LIST_FILE: '/no/such/list' },
        '/no/such/list',
      ],
      [
        { ...settings({ address: '127.0.0.1:1' }), WAYMARK_DATA_DIR: '/proc/nope/data' },
        'WAYMARK_DATA_DIR: /proc/nope/data cannot be used: E',
      ],
    ] as const;
    await Promise.all(
      cases.map(async ([env, name]) => {
        const { child, output } = run(env);
        expect(await once(child, 'close')).toEqual([1, null]);
        expect(output()).toContain(name);
      }),
    );
  });

  test('a worker ends when the reader of its log is gone', { tags: 'nightly' }, async () => {
    const { child } = run(settings(temporalForTest()));
    child.stdout!.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('scans, stops on SIGTERM, tells what it does, and neither URLs nor secrets', { tags: 'nightly' }, async () => {
    const port = await freeNeighbours(2);
    const key = 'hush-hush-hush';
    const { child, ready, output } = run({
      ...settings(temporalForTest()),
      LOG_LEVEL: 'trace',
      METRICS_PORT: String(port),
      WEB_RISK_API_KEY: key,
    });
    await ready;
    const [clean, flagged, late] = nextUrls(3) as [string, string, string];
    fake.flag(flagged, ['MALWARE']);
    fake.fault((uri, count) => (uri === late && count <= 3 ? { status: 500 } : undefined));
    const links = await createScannedLinks(db, owner, [clean, flagged, late]);
    await allDone(links);
    // One scrape brings what the SDK measures as well; it counts a workflow once Temporal has taken its end.
    const text = await eventually(async () => {
      const scraped = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^temporal_workflow_completed_total\{.*workflow_type="threatScan".*\} 1$/m.test(scraped) && scraped;
    });
    expect(metricsOf(text)).toMatchObject({
      'waymark_scan_lookups_total{result="clean"}': 2,
      'waymark_scan_lookups_total{result="flagged"}': 1,
      'waymark_scan_lookups_total{result="failed"}': 1,
      waymark_relay_scans_started_total: 1,
      waymark_relay_destinations_total: 3,
      // The owner's mail about the threat may wait there.
      'waymark_outbox_rows{kind="threat-scan",state="waiting"}': expect.any(Number),
      'waymark_database_waiting{pool="worker"}': 0,
    });

    expect(await end(child, 'SIGTERM')).toEqual({ code: 0, signal: null });
    expect(output()).toContain(`destinations are scanned by Web Risk at ${new URL(fake.url).host}`);
    expect(output()).toContain('URLs are left without a verdict for now');
    for (const secret of [...links.map((link) => new URL(link.url).host), 'k'.repeat(32), key])
      expect(output() + text).not.toContain(secret);
  });

  test(
    'keeps the lists of Web Risk, asks it about URLs that they may know only, and ends with 1 once the SDK has failed',
    { tags: 'nightly' },
    async () => {
      const [clean, bad] = nextUrls(2) as [string, string];
      const expression = `${new URL(bad).host}/`;
      fake.lists.add('SOCIAL_ENGINEERING', [expression]);
      fake.flagExpression(expression, ['SOCIAL_ENGINEERING']);
      const port = await freeNeighbours(2);
      const { child, ready, output } = run({
        ...settings(temporalForTest()),
        WEB_RISK_MODE: 'lists',
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'support/failing-worker.ts')}`,
        METRICS_PORT: String(port),
      });
      await ready;
      const links = await createScannedLinks(db, owner, [clean, bad]);
      await allDone(links);
      const { rows } = await db.query(
        `select url, threat_types as types from threat_verdicts where url = any($1) order by url = $2`,
        [[clean, bad], bad],
      );
      expect(rows).toEqual([
        { url: clean, types: [] },
        { url: bad, types: ['SOCIAL_ENGINEERING'] },
      ]);
      expect([fake.lookups, fake.hashSearches.length]).toEqual([[], 1]);
      expect(metricsOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())).toMatchObject({
        waymark_threat_lists_fresh: 1,
        'waymark_threat_list_entries{list="SOCIAL_ENGINEERING"}': 1,
        'waymark_threat_list_overdue_seconds{list="SOCIAL_ENGINEERING"}': 0,
      });
      expect(output()).toContain('destinations are scanned by the threat lists of Web Risk at');

      expect(await end(child, 'SIGUSR2')).toEqual({ code: 1, signal: null });
      expect(output()).toContain('The Temporal worker failed: its polls ended (state FAILED)');
      // It is no silent worker then.
      expect((await listWorkers(emOf(db))).filter(({ pid }) => pid === child.pid)).toEqual([]);
    },
  );

  test(
    'two workers divide the kinds of work, and each tells of the pollers of all queues',
    { tags: 'nightly' },
    async () => {
      const temporal = temporalForTest();
      const port = await freeNeighbours(2);
      const pollersOf = async (name: string): Promise<unknown> => {
        const metrics = metricsOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
        return metrics[`waymark_task_queue_pollers{queue="${temporal.taskQueue}${name}",type="activity"}`];
      };
      const one = run({
        ...settings(temporal),
        WORKER_TASK_QUEUES: 'workflows, webhooks',
        METRICS_PORT: String(port),
      });
      await one.ready;
      const links = await createScannedLinks(db, owner, nextUrls(1));
      await eventually(async () => (await pollersOf('-webhooks')) === 1 && (await pollersOf('')) === 1);
      expect([await pollersOf('-scans'), await pollersOf('-mail')]).toEqual([0, 0]);

      const two = run({
        ...settings(temporal),
        WORKER_TASK_QUEUES: 'scans,bulk-scans,mail,bulk',
        MAIL_PER_SECOND: '7',
      });
      await two.ready;
      await allDone(links);
      await eventually(async () => (await pollersOf('-bulk')) === 1);
      // Temporal holds the rates of outside services, over all workers.
      const { address, namespace } = temporal;
      const client = await connectTemporal({ address, namespace });
      const ratesOf = async (name: string): Promise<unknown> => {
        const taskQueue = { name: `${temporal.taskQueue}${name}` };
        const asked = { namespace, taskQueue, taskQueueType: activityQueue };
        const { pollers } = await client.workflowService.describeTaskQueue(asked);
        return pollers?.map(({ ratePerSecond }) => ratePerSecond);
      };
      expect([await ratesOf('-mail'), await ratesOf('-bulk-scans')]).toEqual([[7], [1]]);
      await client.connection.close();
      const { rows } = await db.query('select pid, takes_tasks as "takesTasks" from workers where pid = any($1)', [
        [one.child.pid, two.child.pid],
      ]);
      expect(rows).toHaveLength(2);
      expect(rows).toContainEqual({ pid: one.child.pid, takesTasks: true });
      // Nothing goes on without a worker that takes workflows.
      expect(rows).toContainEqual({ pid: two.child.pid, takesTasks: false });
      for (const { child } of [one, two]) expect(await end(child, 'SIGTERM')).toEqual({ code: 0, signal: null });
    },
  );

  test(
    'is heard of while it works, not while it hangs or is dead; another one takes its place and makes up for its scan',
    { tags: 'nightly' },
    async () => {
      const temporal = temporalForTest();
      const { child, ready } = run(settings(temporal));
      const heard = async () => (await listWorkers(emOf(db))).find(({ pid }) => pid === child.pid);
      await ready;
      await eventually(async () => (await heard())?.takesTasks === true);
      expect(await heard()).toMatchObject({ diskBytes: expect.any(Number), silentMs: expect.any(Number) });

      const links = await createScannedLinks(db, owner, nextUrls(5));
      fake.fault((uri) => (uri === links[0]!.url ? 'hang' : undefined));
      await fake.received(5);
      await allDone(links.slice(1));

      const view = { isTemporalUnreachable: false, diskWarnBytes: 0 };
      const names = async () =>
        describeBacklog(await readBacklog(db), view).filter((name) => name.startsWith('worker'));
      const silence = () => db.query(`update workers set heard_at = now() - interval '30 seconds'`);
      child.kill('SIGSTOP');
      // A heartbeat that was sent before may be stored after it.
      await eventually(async () => {
        await silence();
        return /^worker: no heartbeat for [34]\d s$/.test((await names()).join());
      });
      child.kill('SIGCONT');
      await eventually(async () => (await names()).length === 0);

      await end(child, 'SIGKILL');
      await silence();
      expect(await names()).toEqual([expect.stringMatching(/^worker: no heartbeat for [34]\d s$/)]);
      fake.fault(() => undefined);
      const next = run(settings(temporal));
      await next.ready;
      await eventually(async () => (await names()).length === 0);
      await allDone(links);
      // What was answered before the kill was stored by then, and not asked for again.
      expect(fake.lookups.map((lookup) => lookup.uri).toSorted()).toEqual(
        [...links.map((link) => link.url), links[0]!.url].toSorted(),
      );
      // Its supervisor is gone: it ends in order.
      const exited = once(next.child, 'exit');
      next.child.disconnect();
      expect(await exited).toEqual([0, null]);
      // The second worker has taken the first one's place: nothing is missing any more.
      expect(await listWorkers(emOf(db))).toEqual([]);
    },
  );

  test(
    'reaches Temporal by TLS, with a key and the roots of Node, and is not ready while Temporal has not got its namespace',
    { tags: 'nightly' },
    async () => {
      const { address, taskQueue } = temporalForTest();
      const apiKey = 'a-key-of-the-service';
      await using gate = await createTemporalGate({ address, apiKey });
      gate.isNamespaceLost = true;
      const folder = await mkdtemp(join(tmpdir(), 'waymark-worker-'));
      const roots = join(folder, 'roots.pem');
      await writeFile(roots, gate.authority.cert);
      const port = await freeNeighbours(2);
      const { child, ready, output } = run({
        ...settings({ address: gate.address, taskQueue }),
        TEMPORAL_API_KEY: apiKey,
        NODE_EXTRA_CA_CERTS: roots,
        METRICS_PORT: String(port),
      });
      const probe = async (path: string) => {
        const answer = await fetch(`http://127.0.0.1:${port}/${path}`).catch(() => undefined);
        return answer === undefined ? undefined : `${answer.status} ${(await answer.text()).trim()}`;
      };
      const heard = async () => (await listWorkers(emOf(db))).find(({ pid }) => pid === child.pid);
      await eventually(async () => output().includes('the Temporal worker cannot begin'));
      expect(await probe('readyz')).toMatch(/^503 it has not begun yet: .*namespace/i);
      gate.isNamespaceLost = false;
      await ready;
      await eventually(async () => gate.calls.some((path) => path.endsWith('/CreateSchedule')));
      expect([await probe('readyz'), await probe('healthz')]).toEqual(['200 ok', '200 ok']);
      expect(await heard()).toMatchObject({ takesTasks: true, lastTaskAt: expect.any(Date) });
      await allDone(await createScannedLinks(db, owner, nextUrls(3)));
      expect(gate.calls).toContain('/temporal.api.workflowservice.v1.WorkflowService/StartWorkflowExecution');

      expect(await end(child, 'SIGTERM')).toEqual({ code: 0, signal: null });
      expect(output()).not.toContain(apiKey);
      await rm(folder, { recursive: true, force: true });
    },
  );

  test('ends on SIGTERM while it waits for Temporal', { tags: 'nightly' }, async () => {
    const [port] = await freePorts(1);
    const { child, output } = run(settings({ address: `127.0.0.1:${port}` }));
    await eventually(async () => output().includes('keeps trying'));
    expect(await end(child, 'SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
