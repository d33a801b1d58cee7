// @module-tag process

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { findLanAddress } from '#adapters/machine/own-addresses.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { secretNames } from '#config/schema.ts';
import { commandLine, processMark } from '#scripts/lib/lock.mjs';
import { freeNeighbours } from './support/free-ports.ts';
import { createHome, type NpmStart, npmStart } from './support/npm-start.ts';
import { descendants } from './support/process-tree.ts';
import { readQr } from './support/read-qr.ts';
import { createTestDatabase, edgeUrlOf, temporalForTest } from './support/stack.ts';

// `npm start` as a newcomer runs it, with everything real.

const timeoutMs = 180_000;
const destination = 'https://example.com/a?b=1';

async function createLink(run: NpmStart, slug: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${run.row('API')}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': run.row('API key'), 'content-type': 'application/json' },
    body: JSON.stringify({ destination: { type: 'link', value: destination }, slug }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function readLink(run: NpmStart, id: unknown): Promise<Record<string, unknown>> {
  const headers = { 'x-api-key': run.row('API key') };
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

test(
  'the way of a newcomer: start, create, click, look at the scan, stop, start again for phones too',
  { timeout: timeoutMs },
  async () => {
    await using home = await createHome();
    const metrics = await freeNeighbours(4);
    await using first = npmStart(home, { METRICS_PORT: String(metrics) });
    await first.line(/^ready$/);
    const { status, body: link } = await createLink(first, 'hello');
    expect(status).toBe(201);
    expect(link).toMatchObject({ slug: 'hello', currentClicks: 0, originUrl: `${first.row('Edge')}/hello` });

    const redirect = await visit(first, 'hello');
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, destination]);
    // By the address, too; HEAD is not a click.
    const byAddress = first.row('Edge').replace('localhost', '127.0.0.1');
    expect((await fetch(`${byAddress}/hello`, { method: 'HEAD', redirect: 'manual' })).status).toBe(302);
    const clicked = { currentClicks: 1 };
    await vi.waitFor(async () => expect(await readLink(first, link.id)).toMatchObject(clicked), { timeout: 2_000 });
    const scanned = { destination: { threatTypes: [] } };
    await vi.waitFor(async () => expect(await readLink(first, link.id)).toMatchObject(scanned), { timeout: 10_000 });

    // Nothing is wrong, and it is said all the same.
    const note = /GEOIP_DB is not set: rules by country never match/;
    expect(first.output()).toMatch(note);
    for (const address of [`${first.row('API')}/readyz`, `${first.row('Edge')}/.well-known/waymark/readyz`]) {
      // What readyz says may be a second old.
      await vi.waitFor(
        async () => {
          const { degraded, notes } = (await (await fetch(address)).json()) as { degraded: string[]; notes: string[] };
          expect([degraded, notes]).toEqual([[], [expect.stringMatching(note)]]);
        },
        { timeout: 5_000, interval: 250 },
      );
    }

    const measured = ['waymark_api_request_seconds_count', 'waymark_edge_clicks_total', 'temporal_request_total'];
    for (const [index, name] of measured.entries()) {
      expect(await (await fetch(`http://127.0.0.1:${metrics + index}/metrics`)).text()).toContain(`\n${name}`);
    }

    const connection = await Connection.connect({ address: `127.0.0.1:${home.ports.TEMPORAL_PORT}` });
    const { workflow } = new Client({ connection });
    const ids = await vi.waitFor(
      async () => {
        const found: string[] = [];
        for await (const { workflowId } of workflow.list({ query: `linkId = "${String(link.id)}"` }))
          found.push(workflowId);
        expect(found).not.toEqual([]);
        return found;
      },
      { timeout: 10_000, interval: 200 },
    );
    const described = await workflow.getHandle(ids[0]!).describe();
    expect(await described.staticSummary()).toMatch(/\w/);
    await connection.close();
    expect((await fetch(first.row('Temporal UI'))).status).toBe(200);

    if (process.platform === 'linux') {
      const edge = environmentOf(first, 'edge');
      // The process that strangers reach has nothing of the secret key but what it needs, and a role that reads no secrets.
      const secrets = secretNames.flatMap((name) => [name, `${name}_FILE`]).filter((name) => name in edge);
      expect(secrets.toSorted()).toEqual(['EDGE_DATABASE_URL', 'EDGE_SECRET_KEY']);
      expect(new URL(edge.EDGE_DATABASE_URL!).username).toBe('waymark_edge');
      const key = edgeKeyOf(readFileSync(join(home.dataDir, 'secret-key'), 'utf8').trim());
      expect(edge.EDGE_SECRET_KEY).toBe(writeEdgeKey(key));
    }

    const pids = [first.pid, ...descendants(first.pid)];
    expect(pids.length).toBeGreaterThanOrEqual(7);
    process.kill(first.pid, 'SIGTERM');
    expect(await first.exited).toBe(0);
    expect(living(pids)).toEqual([]);

    // A machine without a network has nothing to serve phones on.
    const isOnNetwork = findLanAddress() !== undefined;
    await using second = npmStart(home, {}, { args: isOnNetwork ? ['--lan'] : [] });
    await second.line(/^ready$/);
    console.log(await second.line(/^Started in /));
    expect(await readLink(second, link.id)).toMatchObject({ slug: 'hello', currentClicks: 1 });
    expect((await visit(second, 'hello')).status).toBe(302);
    if (isOnNetwork) await expectPhonesServed(second, 'hello', link.id);
    // Ctrl-C: the terminal signals the whole process group, and npm passes it on.
    process.kill(-second.pid, 'SIGINT');
    await second.exited;
    expect(second.output()).toMatch(/^Stopped \(/m);
  },
);

test('two copies run side by side; every child that is killed comes back', { timeout: timeoutMs }, async () => {
  await using home = await createHome();
  await using otherHome = await createHome();
  await using run = npmStart(home);
  await using other = npmStart(otherHome);
  await Promise.all([run.line(/^ready$/), other.line(/^ready$/)]);
  const [here, there] = await Promise.all([createLink(run, 'here'), createLink(other, 'there')]);
  expect([here.status, there.status]).toEqual([201, 201]);
  expect((await visit(run, 'there')).status).toBe(404);

  // A second start on a folder in use is refused, and leaves the first one alone.
  await using spare = await createHome();
  await using twin = npmStart({ ...home, ports: spare.ports });
  expect(await twin.exited).not.toBe(0);
  expect(twin.output()).toContain(`runs on ${home.dataDir} already (process ${run.supervisor()})`);

  const children = descendants(run.supervisor()).filter((pid) =>
    /server\.ts|worker\.ts|start-dev|postgres -D/.test(commandLine(pid)),
  );
  expect(children).toHaveLength(5);
  for (const pid of children) process.kill(pid, 'SIGKILL');
  for (const name of ['api', 'edge', 'worker', 'temporal', 'postgres']) await run.line(new RegExp(`${name} is back$`));
  expect(living(children)).toEqual([]);
  await vi.waitFor(async () => expect((await createLink(run, 'again')).status).toBe(201), { timeout: 20_000 });
  await vi.waitFor(async () => expect((await visit(run, 'again')).status).toBe(302), { timeout: 20_000 });
  const { body } = await createLink(other, 'still');
  expect(body).toMatchObject({ slug: 'still' });
});

test(
  'a killed supervisor leaves no process of ours, and the next start heals the rest',
  { timeout: timeoutMs },
  async () => {
    await using home = await createHome();
    await using first = npmStart(home);
    await first.line(/^ready$/);
    const { body: link } = await createLink(first, 'kept');
    const supervisor = first.supervisor();
    const all = descendants(supervisor);
    const ours = all.filter((pid) => /(server|worker)\.ts/.test(commandLine(pid)));
    expect(ours).toHaveLength(3);
    process.kill(supervisor, 'SIGKILL');
    await vi.waitFor(() => expect(living(ours)).toEqual([]), { timeout: 40_000 });

    await using second = npmStart(home);
    await second.line(/^ready$/);
    expect(living(all)).toEqual([]);
    expect(await readLink(second, link.id)).toMatchObject({ slug: 'kept' });
  },
);

test('a database and a Temporal of one’s own take the place of the embedded ones', { timeout: timeoutMs }, async () => {
  await using database = await createTestDatabase();
  const { address, namespace, taskQueue } = temporalForTest();
  const env = {
    DATABASE_URL: database.url,
    EDGE_DATABASE_URL: edgeUrlOf(database.url),
    SECRET_KEY: 'a secret key of at least 32 characters',
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TASK_QUEUE: taskQueue,
  };
  await using home = await createHome();
  await using first = npmStart(home, env);
  await first.line(/^ready$/);
  expect(first.output()).not.toMatch(/PostgreSQL|Temporal \d/);
  const { status, body: link } = await createLink(first, 'elsewhere');
  expect(status).toBe(201);
  const scanned = { destination: { threatTypes: [] } };
  await vi.waitFor(async () => expect(await readLink(first, link.id)).toMatchObject(scanned), { timeout: 10_000 });
  process.kill(first.pid, 'SIGTERM');
  expect(await first.exited).toBe(0);

  // A database that holds organizations already gets no demo organization.
  await using anotherHome = await createHome();
  await using second = npmStart(anotherHome, env);
  await second.line(/^ready$/);
  expect(second.output()).not.toContain('API key');
});

test('an argument that npm start does not know is told', { timeout: timeoutMs }, async () => {
  await using home = await createHome();
  await using run = npmStart(home, {}, { args: ['--wlan'] });
  expect(await run.exited).toBe(1);
  expect(run.output()).toMatch(/'--wlan'[^]*npm start takes one option: npm start -- --lan/);
});

test('ports in use are named before anything starts', { timeout: timeoutMs }, async () => {
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

test('every mistake of the configuration is named', { timeout: timeoutMs }, async () => {
  await using home = await createHome();
  await using run = npmStart({ ...home, ports: { ...home.ports, PORT: 70_000, EDGE_PORT: -1 } });
  expect(await run.exited).toBe(1);
  expect(run.output()).toMatch(/PORT: .*\n +EDGE_PORT: /);
});
