// @module-tag process

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSealing } from '#adapters/sealing.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { createDatabase } from '#db/connection/database.ts';
import { requireSecretKey } from '#db/connection/secret-fingerprint.ts';
import { childEnvironment } from './support/child-environment.ts';
import { createLink } from './support/edge-factories.ts';
import { type EdgeAnswer, visitEdge, type VisitOptions } from './support/edge.ts';
import { eventually } from './support/eventually.ts';
import { createDomain, createOrganization } from './support/factories.ts';
import { freeNeighbours, freePorts } from './support/free-ports.ts';
import { metricsOf } from './support/metrics.ts';
import { createTestDatabase, edgeUrlOf, useTestDatabase } from './support/stack.ts';

// `node server.ts`, without a supervisor.

let dataDir: string;
const children: ChildProcess[] = [];

const db = useTestDatabase();
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'waymark-server-'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

function run(env: Record<string, string>, ...stdio: ('ignore' | 'inherit' | 'pipe' | 'ipc')[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'server.ts')], {
    stdio: ['ignore', ...stdio],
    env: {
      ...childEnvironment,
      DATABASE_URL: db.url,
      SECRET_KEY: 'k'.repeat(32),
      WAYMARK_DATA_DIR: dataDir,
      ...env,
    },
  });
  children.push(child);
  return child;
}

/** Starts a server that is ready. */
async function serve(env: Record<string, string>): Promise<ChildProcess> {
  const child = run({ LOG_LEVEL: 'warn', ...env }, 'inherit', 'inherit', 'ipc');
  const exited = once(child, 'exit').then(() => Promise.reject(new Error('the server ended before it served')));
  await Promise.race([once(child, 'message'), exited]);
  exited.catch(() => undefined);
  return child;
}

/** Visits an edge until it answers in time: on a busy machine a look-up may take longer than a visitor waits, who then gets 503. */
const visitInTime = (port: number, path: string, options: VisitOptions): Promise<EdgeAnswer> =>
  eventually(async () => {
    const answer = await visitEdge(`http://127.0.0.1:${port}`, path, options);
    return answer.status !== 503 && answer;
  });

const visitsAt = async (port: number): Promise<number> =>
  metricsOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())[
    'waymark_edge_visits_total{outcome="redirect"}'
  ]!;

test('what the one who starts it has to mend ends the process with a word', { tags: 'nightly' }, async () => {
  const [port] = (await freePorts(1)) as [number];
  const refusalOf = async (env: Record<string, string>): Promise<string> => {
    const child = run(env, 'ignore', 'pipe');
    const [text, [code]] = await Promise.all([child.stderr!.setEncoding('utf8').toArray(), once(child, 'exit')]);
    expect(code).toBe(1);
    return text.join('');
  };
  const both = { PORT: String(port), EDGE_PORT: String(port), TEMPORAL_ADDRESS: '127.0.0.1:1' };
  expect(await refusalOf(both)).toBe('The configuration has a mistake:\n  EDGE_PORT: is the same as PORT\n');
  const alone = { SERVE: 'edge ', EDGE_PORT: '3150', EDGE_INTERNAL_PORT: '3150', DATABASE_URL: '', SECRET_KEY: '' };
  expect(await refusalOf(alone)).toBe(
    [
      'The configuration has mistakes:',
      'EDGE_INTERNAL_PORT: is the same as EDGE_PORT',
      'DATABASE_URL: is required by the server (an edge alone takes EDGE_DATABASE_URL)',
      'SECRET_KEY: is required by the server (an edge alone takes EDGE_SECRET_KEY)\n',
    ].join('\n  '),
  );
  const taken = createServer().listen(port, '127.0.0.1');
  await once(taken, 'listening');
  const edge = { SERVE: 'edge', EDGE_PORT: String(port) };
  const inUse = `listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`;
  expect(await refusalOf(edge)).toBe(`EDGE_PORT: ${inUse}`);
  const metrics = { METRICS_PORT: String(port) };
  expect(await refusalOf({ ...edge, EDGE_PORT: '3150', ...metrics })).toBe(`METRICS_PORT: ${inUse}`);
  expect(await refusalOf({ ...edge, ...metrics })).toContain('METRICS_PORT: is the same as EDGE_PORT');
  taken.close();
  const folder = join(dataDir, 'file');
  writeFileSync(folder, '');
  const api = { SERVE: 'api', PORT: String(port), TEMPORAL_ADDRESS: '127.0.0.1:1' };
  for (const services of [edge, api])
    for (const unusable of [folder, '/proc/nope/data'])
      expect(await refusalOf({ ...services, WAYMARK_DATA_DIR: unusable })).toContain(
        `WAYMARK_DATA_DIR: ${unusable} cannot be used: E`,
      );
  expect(await refusalOf({ ...edge, ...metrics, METRICS_HOST: 'nowhere.invalid' })).toMatch(
    /^The configuration has a mistake:\n {2}METRICS_HOST: nowhere\.invalid cannot be listened on [^\n]*\n$/,
  );
});

test('a server ends when the reader of its log is gone', { tags: 'nightly' }, async () => {
  const [port] = (await freePorts(1)) as [number];
  const child = run({ LOG_LEVEL: 'info', SERVE: 'edge', EDGE_PORT: String(port) }, 'pipe', 'inherit');
  child.stdout!.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test(
  'an edge without SECRET_KEY takes the cookies of one that has it, and the other way round',
  { tags: 'nightly' },
  async () => {
    const { id: organizationId, folderId } = await createOrganization(db);
    const domain = await createDomain(db, organizationId);
    const passwordHash = await hash('open sesame', { memoryCost: 64, timeCost: 1, parallelism: 1 });
    const { slug } = await createLink(db, { organizationId, domainId: domain.id, folderId, passwordHash });
    const [whole, derived] = (await freePorts(2)) as [number, number];
    const secret = 'k'.repeat(32);
    const next = 'n'.repeat(32);
    await Promise.all([
      serve({ SERVE: 'edge', EDGE_PORT: String(whole), SECRET_KEY: `${secret},${next}` }),
      // During a rotation: the next key is the first already.
      serve({
        SERVE: 'edge',
        EDGE_PORT: String(derived),
        DATABASE_URL: '',
        EDGE_DATABASE_URL: edgeUrlOf(db.url),
        SECRET_KEY: '',
        EDGE_SECRET_KEY: [next, secret].map((key) => writeEdgeKey(edgeKeyOf(key))).join(','),
      }),
    ]);
    const visit = (port: number, options: VisitOptions): Promise<EdgeAnswer> =>
      visitInTime(port, `/${slug}`, { host: domain.domain, ...options });
    for (const [from, to] of [
      [whole, derived],
      [derived, whole],
    ] as const) {
      const admitted = await visit(from, {
        method: 'POST',
        body: 'password=open+sesame',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(admitted.status).toBe(303);
      const cookie = admitted.headers['set-cookie']![0]!.split(';')[0]!;
      expect((await visit(to, { headers: { cookie } })).status).toBe(302);
      expect((await visit(to, {})).status).toBe(200);
    }
    for (const child of children.splice(0)) child.kill('SIGKILL');
  },
);

test('an edge with the keys of another installation ends with a word', { tags: 'nightly' }, async () => {
  await using other = await createTestDatabase();
  const there = createDatabase({ url: other.url });
  await requireSecretKey(there, createSealing(['k'.repeat(32)]));
  await there.close();
  const [port] = (await freePorts(1)) as [number];
  const keys = {
    DATABASE_URL: '',
    SECRET_KEY: '',
    EDGE_DATABASE_URL: edgeUrlOf(other.url),
    EDGE_SECRET_KEY: writeEdgeKey(edgeKeyOf('o'.repeat(32))),
  };
  const child = run({ SERVE: 'edge', EDGE_PORT: String(port), ...keys }, 'pipe', 'ignore');
  const [text, [code]] = await Promise.all([child.stdout!.setEncoding('utf8').toArray(), once(child, 'exit')]);
  expect(code).toBe(1);
  expect(text.join('')).toContain('is not the key of this database');
});

test('journals are closed to other users of the machine, those of earlier versions too', async () => {
  const root = join(dataDir, 'closed', 'journal');
  const earlier = join(root, '0197a4de-4f6a-4c1e-8b1a-0c6f6d2f8e11');
  mkdirSync(earlier, { recursive: true, mode: 0o755 });
  for (const name of ['owner.json', '00000001.tsv', '00000001.tsv.rejected'])
    writeFileSync(join(earlier, name), '', { mode: 0o644 });
  for (const folder of [root, earlier]) chmodSync(folder, 0o755);
  const [port] = (await freePorts(1)) as [number];
  // No process ships: the journal keeps its clicks.
  const away = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const child = await serve({ ...away, SERVE: 'edge', EDGE_PORT: String(port), WAYMARK_DATA_DIR: join(root, '..') });
  const modes = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => [
    entry.isDirectory(),
    (statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8),
  ]);
  expect(modes.filter(([isFolder]) => isFolder)).toHaveLength(2);
  expect(modes.filter(([isFolder]) => !isFolder)).toHaveLength(5);
  for (const [isFolder, mode] of modes) expect(mode).toBe(isFolder ? '700' : '600');
  expect((statSync(root).mode & 0o777).toString(8)).toBe('700');
  child.kill('SIGKILL');
});

test.runIf(process.platform === 'linux')(
  'several edges serve one port, and count each click once (11.6)',
  { tags: 'nightly' },
  async () => {
    const { id: organizationId, folderId } = await createOrganization(db);
    const domain = await createDomain(db, organizationId);
    const { id, slug } = await createLink(db, { organizationId, domainId: domain.id, folderId });
    const [port] = (await freePorts(1)) as [number];
    const metrics = await freeNeighbours(2);
    const edges = await Promise.all(
      [0, 1].map((index) => serve({ SERVE: 'edge', EDGE_PORT: String(port), METRICS_PORT: String(metrics + index) })),
    );
    const visit = async (): Promise<number> => {
      const options = { host: domain.domain, headers: { connection: 'close' } };
      return (await visitInTime(port, `/${slug}`, options)).status;
    };
    for (let count = 0; count < 40; count += 1) expect(await visit()).toBe(302);
    const visits = await Promise.all([visitsAt(metrics), visitsAt(metrics + 1)]);
    expect(Math.min(...visits)).toBeGreaterThan(0);
    expect(visits[0] + visits[1]).toBe(40);

    edges[0]!.kill('SIGTERM');
    expect(await once(edges[0]!, 'exit')).toEqual([0, null]);
    for (let count = 0; count < 10; count += 1) expect(await visit()).toBe(302);
    edges[1]!.kill('SIGTERM');
    expect(await once(edges[1]!, 'exit')).toEqual([0, null]);
    await eventually(
      async () =>
        (await db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [id])).rows[0]
          ?.clicks,
      (clicks) => clicks === 50,
    );
  },
);
