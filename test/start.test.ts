// @module-tag process

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findLanAddress } from '#adapters/machine/own-addresses.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { secretNames } from '#config/schema.ts';
import { commandLine, processMark } from '#scripts/lib/lock.mjs';
import { createDatabase } from '#db/connection/database.ts';
import { longestWaitMs } from './support/eventually.ts';
import { createOrganization } from './support/factories.ts';
import { createFakeWebRisk, type FakeWebRisk } from './support/fake-web-risk.ts';
import { freeNeighbours } from './support/free-ports.ts';
import { createHome, type Home, type NpmStart, npmStart } from './support/npm-start.ts';
import { descendants } from './support/process-tree.ts';
import { readQr } from './support/read-qr.ts';
import { createTestDatabase, edgeUrlOf, temporalForTest } from './support/stack.ts';

// `npm start` as a newcomer runs it, with everything real.

/** For what passes within seconds, on a busy machine too. */
const passing = { timeout: longestWaitMs, interval: 200 };
const destination = 'https://example.com/a?b=1';

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

interface LinkOptions {
  value?: string;
  key?: string;
  'idempotency-key'?: string;
}

async function createLink(
  run: NpmStart,
  slug: string,
  { value = destination, key = run.row('API key'), ...headers }: LinkOptions = {},
): Promise<Answer> {
  const response = await fetch(`${run.row('API')}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ destination: { type: 'link', value }, slug }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

async function readLink(run: NpmStart, id: unknown, key = run.row('API key')): Promise<Record<string, unknown>> {
  const headers = { 'x-api-key': key };
  const response = await fetch(`${run.row('API')}/short-link/${String(id)}`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

async function visit(run: NpmStart, slug: string): Promise<Response> {
  // Without it, fetch counts as a bot, whose visits are not clicks (4.10).
  const headers = { 'user-agent': 'curl/8.5.0' };
  return fetch(`${run.row('Edge')}/${slug}`, { redirect: 'manual', headers });
}

/** The environment of the API or the edge, which Linux shows. */
function environmentOf(run: NpmStart, serve: 'api' | 'edge'): Record<string, string> {
  const servers = descendants(run.pid).filter((pid) => commandLine(pid).includes('server.ts'));
  const environments = servers.map((pid) =>
    Object.fromEntries(
      readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((pair): [string, string] => [pair.split('=')[0]!, pair.slice(pair.indexOf('=') + 1)]),
    ),
  );
  return environments.find(({ SERVE }) => SERVE === serve)!;
}

/** Expects that the QR code of a link, made before `--lan` was given, leads a phone to the edge. */
async function expectPhonesServed(run: NpmStart, slug: string, id: unknown): Promise<void> {
  const phones = run.row('For phones');
  expect(new URL(phones).hostname).toBe(findLanAddress());
  expect(await readLink(run, id)).toMatchObject({ originUrl: `${phones}/${slug}` });
  const headers = { 'x-api-key': run.row('API key') };
  const picture = await fetch(`${run.row('API')}/short-link/${String(id)}/qr-code?format=png`, { headers });
  const scanned = await readQr(Buffer.from(await picture.arrayBuffer()));
  expect(scanned).toBe(`${phones}/${slug}?qr=1`);
  const visited = await fetch(scanned!, { redirect: 'manual' });
  expect([visited.status, visited.headers.get('location')]).toEqual([302, destination]);
}

const living = (pids: readonly number[]): number[] => pids.filter((pid) => processMark(pid) !== undefined);

/** Kills a process; those whose parent died before them may have ended by themselves. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// One walk, whose steps build on each other: each start of a whole product takes ten seconds of a processor. By day there is one.
describe('the way of a newcomer', { tags: 'nightly' }, () => {
  const closing = new AsyncDisposableStack();
  let home: Home;
  let metrics: number;
  /** The latest start. */
  let run: NpmStart;
  let fake: FakeWebRisk;
  let link: Record<string, unknown>;
  /** The embedded servers and ours, of the start before. */
  let before: number[];
  beforeAll(async () => {
    fake = closing.use(await createFakeWebRisk());
    home = closing.use(await createHome());
    metrics = await freeNeighbours(4);
    run = closing.use(npmStart(home, { ...settings(), METRICS_PORT: String(metrics) }));
    await run.line(/^ready$/);
    console.log(await run.line(/^Started in /));
  });
  afterAll(() => closing.disposeAsync());

  /** What all starts have beside the defaults. */
  const settings = (): NodeJS.ProcessEnv => ({
    WEB_RISK_ENDPOINT: fake.url,
    THREAT_SCAN_WAIT_MS: '0',
    RATE_LIMIT_PER_SECOND: '1000',
    RATE_LIMIT_PER_MINUTE: '1000',
  });

  test('a link is made, scanned and clicked', async () => {
    const created = await createLink(run, 'hello');
    expect(created.status).toBe(201);
    link = created.body;
    expect(link).toMatchObject({ slug: 'hello', currentClicks: 0, originUrl: `${run.row('Edge')}/hello` });

    const redirect = await visit(run, 'hello');
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, destination]);
    // By the address, too; HEAD is not a click.
    const byAddress = run.row('Edge').replace('localhost', '127.0.0.1');
    expect((await fetch(`${byAddress}/hello`, { method: 'HEAD', redirect: 'manual' })).status).toBe(302);
    await vi.waitFor(async () => expect(await readLink(run, link.id)).toMatchObject({ currentClicks: 1 }), passing);
    const scanned = { destination: { threatTypes: [] } };
    await vi.waitFor(async () => expect(await readLink(run, link.id)).toMatchObject(scanned), passing);

    const connection = await Connection.connect({ address: `127.0.0.1:${home.ports.TEMPORAL_PORT}` });
    const { workflow } = new Client({ connection });
    const ids = await vi.waitFor(async () => {
      const found: string[] = [];
      for await (const { workflowId } of workflow.list({ query: `linkId = "${String(link.id)}"` }))
        found.push(workflowId);
      expect(found).not.toEqual([]);
      return found;
    }, passing);
    const described = await workflow.getHandle(ids[0]!).describe();
    expect(await described.staticSummary()).toMatch(/\w/);
    await connection.close();
    expect((await fetch(run.row('Temporal UI'))).status).toBe(200);
  });

  test('nothing is degraded, and metrics are served', async () => {
    // Nothing is wrong, and it is said all the same.
    const note = /GEOIP_DB is not set: rules by country never match/;
    expect(run.output()).toMatch(note);
    for (const address of [`${run.row('API')}/readyz`, `${run.row('Edge')}/.well-known/waymark/readyz`]) {
      // What readyz says may be a second old.
      await vi.waitFor(async () => {
        const { degraded, notes } = (await (await fetch(address)).json()) as { degraded: string[]; notes: string[] };
        expect([degraded, notes]).toEqual([[], [expect.stringMatching(note)]]);
      }, passing);
    }
    const measured = ['waymark_api_request_seconds_count', 'waymark_edge_clicks_total', 'temporal_request_total'];
    for (const [index, name] of measured.entries()) {
      expect(await (await fetch(`http://127.0.0.1:${metrics + index}/metrics`)).text()).toContain(`\n${name}`);
    }
  });

  test.skipIf(process.platform !== 'linux')('the edge has none of the secrets but its own', () => {
    const edge = environmentOf(run, 'edge');
    // The process that strangers reach has nothing of the secret key but what it needs, and a role that reads no secrets.
    const secrets = secretNames.flatMap((name) => [name, `${name}_FILE`]).filter((name) => name in edge);
    expect(secrets.toSorted()).toEqual(['EDGE_DATABASE_URL', 'EDGE_SECRET_KEY']);
    expect(new URL(edge.EDGE_DATABASE_URL!).username).toBe('waymark_edge');
    const key = edgeKeyOf(readFileSync(join(home.dataDir, 'secret-key'), 'utf8').trim());
    expect(edge.EDGE_SECRET_KEY).toBe(writeEdgeKey(key));
  });

  test('a second start on the same folder is refused, and leaves the first one alone', async () => {
    await using spare = await createHome();
    await using twin = npmStart({ ...home, ports: spare.ports });
    expect(await twin.exited).not.toBe(0);
    expect(twin.output()).toContain(`runs on ${home.dataDir} already (process ${run.supervisor()})`);
  });

  test(
    'another copy with a database and a Temporal of one’s own runs beside it, and stops in order',
    { tags: 'nightly' },
    async () => {
      await using database = await createTestDatabase();
      const db = createDatabase({ url: database.url });
      const { key } = await createOrganization(db);
      await db.close();
      const { address, namespace, taskQueue } = temporalForTest();
      const env = {
        DATABASE_URL: database.url,
        EDGE_DATABASE_URL: edgeUrlOf(database.url),
        SECRET_KEY: 'a secret key of at least 32 characters',
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
        TEMPORAL_TASK_QUEUE: taskQueue,
      };
      await using otherHome = await createHome();
      await using other = npmStart(otherHome, env);
      await other.line(/^ready$/);
      expect(other.output()).not.toMatch(/PostgreSQL|Temporal \d/);
      // A database that holds organizations already gets no demo organization.
      expect(other.output()).not.toContain('API key');
      const { status, body: there } = await createLink(other, 'elsewhere', { key });
      expect(status).toBe(201);
      const scanned = { destination: { threatTypes: [] } };
      await vi.waitFor(async () => expect(await readLink(other, there.id, key)).toMatchObject(scanned), passing);
      expect((await visit(run, 'elsewhere')).status).toBe(404);
      const pids = [other.pid, ...descendants(other.pid)];
      expect(pids.length).toBeGreaterThanOrEqual(5);
      process.kill(other.pid, 'SIGTERM');
      expect(await other.exited).toBe(0);
      expect(living(pids)).toEqual([]);
    },
  );

  test('every child that is killed comes back', { tags: 'nightly' }, async () => {
    const children = descendants(run.supervisor()).filter((pid) =>
      /server\.ts|worker\.ts|start-dev|postgres -D/.test(commandLine(pid)),
    );
    expect(children).toHaveLength(5);
    for (const pid of children) process.kill(pid, 'SIGKILL');
    for (const name of ['api', 'edge', 'worker', 'temporal', 'postgres'])
      await run.line(new RegExp(`${name} is back$`));
    expect(living(children)).toEqual([]);
    await vi.waitFor(async () => expect((await createLink(run, 'again')).status).toBe(201), passing);
    await vi.waitFor(async () => expect((await visit(run, 'again')).status).toBe(302), passing);
  });

  test('a killed supervisor leaves no process of ours', { tags: 'nightly' }, async () => {
    const supervisor = run.supervisor();
    before = descendants(supervisor);
    const ours = before.filter((pid) => /(server|worker)\.ts/.test(commandLine(pid)));
    expect(ours).toHaveLength(3);
    process.kill(supervisor, 'SIGKILL');
    await vi.waitFor(() => expect(living(ours)).toEqual([]), passing);
  });

  test('the next start heals the rest, and keeps everything', { tags: 'nightly' }, async () => {
    run = closing.use(npmStart(home, settings()));
    await run.line(/^ready$/);
    expect(living(before)).toEqual([]);
    expect(await readLink(run, link.id)).toMatchObject({ slug: 'hello', currentClicks: 1 });
    expect((await visit(run, 'hello')).status).toBe(302);
  });

  // What docs/operations.md says of backups: database, files, secret key and journals are all that is needed.
  test(
    'a backup that was taken amid the work is restored into an empty Temporal: nothing is missing, and phones are served too',
    { tags: 'nightly' },
    async () => {
      fake.fault(() => 'hang');
      const slugs = Array.from({ length: 6 }, (_, index) => `kept-${index}`);
      const create = (on: NpmStart, slug: string): Promise<Answer> =>
        createLink(on, slug, { value: `https://${slug}.example/`, 'idempotency-key': slug });
      const made: Answer[] = [];
      for (const slug of slugs) made.push(await create(run, slug));
      expect(made.map(({ status }) => status)).toEqual(slugs.map(() => 201));
      for (const slug of [...slugs, ...slugs]) expect((await visit(run, slug)).status).toBe(302);
      // All of it ends at once, as when the power fails: clicks of the last moment are on disk and nowhere else.
      for (const pid of [run.supervisor(), ...descendants(run.supervisor())]) killIfThere(pid);
      await run.exited;

      const restored = closing.use(await createHome());
      for (const name of readdirSync(home.dataDir).filter((entry) => !['temporal', 'waymark.lock'].includes(entry))) {
        // Whose files they are counts: PostgreSQL does not run as root.
        execFileSync('cp', ['-a', join(home.dataDir, name), restored.dataDir]);
      }
      fake.fault(() => undefined);
      fake.flag('https://kept-0.example/', ['MALWARE']);
      // A machine without a network has nothing to serve phones on.
      const isOnNetwork = findLanAddress() !== undefined;
      run = closing.use(npmStart(restored, settings(), { args: isOnNetwork ? ['--lan'] : [] }));
      await run.line(/^ready$/);
      if (isOnNetwork) await expectPhonesServed(run, 'hello', link.id);
      await vi.waitFor(async () => {
        for (const [index, { body }] of made.entries())
          expect(await readLink(run, body.id)).toMatchObject({
            slug: body.slug,
            currentClicks: 2,
            destination: { threatTypes: index === 0 ? ['MALWARE'] : [] },
          });
      }, passing);
      expect((await visit(run, slugs[1]!)).status).toBe(302);
      // Sealed answers open: the secret key is the same.
      const again = await create(run, slugs[2]!);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.body).toEqual(made[2]!.body);
      await vi.waitFor(async () => {
        const ready = await (await fetch(`${run.row('API')}/readyz`)).json();
        expect(ready).toMatchObject({ status: 'ready', degraded: [] });
      }, passing);
      const connection = await Connection.connect({ address: `127.0.0.1:${restored.ports.TEMPORAL_PORT}` });
      expect((await new Client({ connection }).workflow.count()).count).toBeGreaterThan(0);
      await connection.close();
    },
  );

  test('Ctrl-C ends all of it, in order', async () => {
    const pids = [run.pid, ...descendants(run.pid)];
    expect(pids.length).toBeGreaterThanOrEqual(7);
    // Ctrl-C: the terminal signals the whole process group, and npm passes it on.
    process.kill(-run.pid, 'SIGINT');
    await run.exited;
    expect(run.output()).toMatch(/^Stopped \(/m);
    expect(living(pids)).toEqual([]);
  });
});

test('an argument that npm start does not know is told', async () => {
  await using home = await createHome();
  await using run = npmStart(home, {}, { args: ['--wlan'] });
  expect(await run.exited).toBe(1);
  expect(run.output()).toMatch(/'--wlan'[^]*npm start takes one option: npm start -- --lan/);
});

test('ports in use are named before anything starts', async () => {
  await using home = await createHome();
  const { PORT, TEMPORAL_UI_PORT } = home.ports;
  const metrics = await freeNeighbours(4);
  const servers = [PORT, TEMPORAL_UI_PORT, metrics + 2].map((port) => createServer().listen(port, '127.0.0.1'));
  await using run = npmStart(home, { METRICS_PORT: String(metrics) });
  expect(await run.exited).not.toBe(0);
  for (const server of servers) server.close();
  expect(run.output()).toContain(`PORT: port ${PORT} is in use on 127.0.0.1`);
  expect(run.output()).toContain(`TEMPORAL_UI_PORT: port ${TEMPORAL_UI_PORT} is in use on 127.0.0.1`);
  expect(run.output()).toContain(`METRICS_PORT (worker): port ${metrics + 2} is in use on 127.0.0.1`);
  expect(run.output()).not.toContain('PostgreSQL');
});

test('every mistake of the configuration is named', async () => {
  await using home = await createHome();
  await using run = npmStart(
    { ...home, ports: { ...home.ports, PORT: 70_000, EDGE_PORT: -1 } },
    { BREACHED_PASSWORDS_FILE: '/nowhere' },
  );
  expect(await run.exited).toBe(1);
  expect(run.output()).toContain('BREACHED_PASSWORDS_FILE: /nowhere cannot be read (ENOENT)');
  expect(run.output()).toMatch(/PORT: .*\n +EDGE_PORT: /);
});
