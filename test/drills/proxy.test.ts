// @module-tag process

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, TestRunner } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { createClient } from '#test/support/kill/client.ts';
import { root } from '#scripts/lib/paths.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { findCaddy } from '#test/support/fetched-tools.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { type ProductProcess, startProcess } from '#test/support/product-process.ts';
import { createTestDatabase } from '#test/support/stack.ts';

// deploy/proxy/Caddyfile with the sites of the test in place of those with certificates.

// Where tests with the tag are left out, this file starts no process.
const caddy = TestRunner.matchesTags(['process']) ? findCaddy() : undefined;
const lanes = 4;
const host = 'localhost:3001';

test.skipIf(caddy === undefined)(
  'behind the documented proxy no visitor and no reader of the API sees an error of a killed or frozen process',
  { tags: 'nightly' },
  async () => {
    await using stopped = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'waymark-proxy-'));
    stopped.defer(() => rmSync(folder, { recursive: true, force: true }));
    const database = stopped.use(await createTestDatabase());
    const db = createDatabase({ url: database.url, onError: () => {} });
    stopped.defer(() => db.close());
    const { key } = await createOrganization(db);
    const [edgeSite, apiSite] = await freePorts(2);
    const lines: string[] = [];
    const env = {
      PLATFORM_DOMAIN: host,
      TRUSTED_PROXIES: '127.0.0.1',
      WAYMARK_DATA_DIR: folder,
      THREAT_SCAN_WAIT_MS: '0',
    };
    const start = async (role: 'api' | 'edge', ports: NodeJS.ProcessEnv = {}) =>
      stopped.use(await startProcess(role, database.url, { ...env, ...ports }, lines));
    const [api, otherApi, edge, otherEdge] = await Promise.all([
      start('api'),
      start('api'),
      start('edge'),
      start('edge'),
    ]);

    const file = readFileSync(join(root, 'deploy', 'proxy', 'Caddyfile'), 'utf8');
    const snippets = [...file.matchAll(/^\((?:edges|apis)\) \{\n[^]*?^\}$/gm)].map(([text]) => text);
    const sites = [`http://:${edgeSite} {\n\timport edges\n}`, `http://:${apiSite} {\n\timport apis\n}`];
    const config = join(folder, 'Caddyfile');
    writeFileSync(config, ['{\n\tadmin off\n\tauto_https off\n}', ...snippets, ...sites].join('\n\n'));
    const upstreams = (processes: readonly ProductProcess[]): string =>
      processes.map(({ port }) => `127.0.0.1:${port}`).join(' ');
    const caddyEnv = { HOME: folder, APIS: upstreams([api, otherApi]), EDGES: upstreams([edge, otherEdge]) };
    const proxy = runCaddy(['run', '--config', config], caddyEnv, lines);
    stopped.defer(() => void proxy.kill('SIGKILL'));

    const toApi = stopped.use(createClient(`http://127.0.0.1:${apiSite}`, lanes));
    const toEdge = stopped.use(createClient(`http://127.0.0.1:${edgeSite}`, lanes));
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ slug: 'kept', destination: { type: 'link', value: 'https://example.com/' } });
    await eventually(
      () => toApi.send({ method: 'POST', path: '/short-link', headers, body }),
      (outcome) => outcome.kind === 'answer' && outcome.status === 201,
    );
    const tell = (what: string, outcome: Awaited<ReturnType<typeof toApi.send>>): string =>
      `${what} ${outcome.kind === 'answer' ? outcome.status : outcome.kind}`;
    const seen = new Map<string, number>();
    const end = new AbortController();
    const lane = async (): Promise<void> => {
      while (!end.signal.aborted) {
        const visit = tell('visit', await toEdge.send({ path: '/kept', headers: { host } }));
        const call = tell('call', await toApi.send({ path: '/short-link/list?limit=1', headers }));
        for (const outcome of [visit, call]) seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      }
    };
    const many = async (): Promise<void> => {
      const from = seen.get('visit 302') ?? 0;
      await eventually(() => (seen.get('visit 302') ?? 0) >= from + 50);
    };
    const working = Promise.all(Array.from({ length: lanes }, lane));
    await many();
    await Promise.all([edge.kill(), api.kill()]);
    await many();
    await Promise.all([start('edge', { EDGE_PORT: String(edge.port) }), start('api', { PORT: String(api.port) })]);
    process.kill(otherEdge.pid, 'SIGSTOP');
    await many();
    process.kill(otherEdge.pid, 'SIGCONT');
    await many();
    // A frozen API holds the calls that it has; new ones go elsewhere, and the held ones too once it is gone.
    process.kill(otherApi.pid, 'SIGSTOP');
    const newcomer = stopped.use(createClient(`http://127.0.0.1:${apiSite}`, lanes, 5_000));
    const list = { path: '/short-link/list?limit=1', headers };
    const answers = await eventually(
      () => Promise.all(Array.from({ length: 20 }, () => newcomer.send(list))),
      (outcomes) => outcomes.every((outcome) => outcome.kind === 'answer'),
    );
    for (const outcome of answers) seen.set(tell('call', outcome), 1);
    await otherApi.kill();
    await many();
    end.abort();
    await working;
    expect([...seen.keys()].toSorted()).toEqual(['call 200', 'visit 302']);
  },
);

test.skipIf(caddy === undefined)('Caddy accepts the documented file', async () => {
  const lines: string[] = [];
  const config = join(root, 'deploy', 'proxy', 'Caddyfile');
  const env = {
    API_DOMAIN: 'api.example.com',
    ACME_EMAIL: 'you@example.com',
    APIS: '10.0.0.1:3000 10.0.0.2:3000',
    EDGES: '10.0.0.1:3001 10.0.0.2:3001',
  };
  const child = runCaddy(['adapt', '--config', config, '--adapter', 'caddyfile'], env, lines);
  const status = await new Promise((resolve) => void child.once('close', resolve));
  expect({ status, lines: status === 0 ? [] : lines }).toEqual({ status: 0, lines: [] });
});

function runCaddy(args: string[], env: NodeJS.ProcessEnv, lines: string[]): ChildProcess {
  const child = spawn(join(caddy!, 'caddy'), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void lines.push(text));
  return child;
}
