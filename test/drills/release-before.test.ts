// @module-tag process
// @module-tag nightly

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launchOf } from '#scripts/lib/node-flags.ts';
import { childEnvironment } from '#test/support/child-environment.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createReceivers } from '#test/support/receivers.ts';
import { checkOutRelease, findReleaseBefore } from '#test/support/release-before.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import { startEndpoint } from '#test/support/webhook-stack.ts';

// While an upgrade replaces process after process, those of the release before work on the schema of this version
// (docs/operations.md#upgrades). Its own code shows it: command line, sign-in, create, visit and delivery.

const commit = findReleaseBefore();
const password = 'a long password of the owner';
const email = 'owner@before.example';

test.skipIf(commit === undefined)('processes of the release before work on the schema of this version', async () => {
  await using before = checkOutRelease(commit!);
  await using stopped = new AsyncDisposableStack();
  const database = stopped.use(await createTestDatabase());
  const receivers = createReceivers();
  stopped.defer(() => receivers.dispose());
  const endpoint = await startEndpoint(receivers);
  const [apiPort, edgePort] = await freePorts(2);
  const dataDir = join(before.folder, 'data');
  mkdirSync(dataDir);
  const edgeHost = `localhost:${edgePort}`;
  const env = {
    SECRET_KEY: 'a secret key of at least 32 characters',
    TEMPORAL_TASK_QUEUE: temporalForTest().taskQueue,
    PORT: String(apiPort),
    EDGE_PORT: String(edgePort),
    PLATFORM_DOMAIN: edgeHost,
    WAYMARK_DATA_DIR: dataDir,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: receivers.caFile,
    THREAT_SCAN_WAIT_MS: '0',
    LOG_LEVEL: 'error',
  };
  const lines: string[] = [];
  const start = async (role: 'api' | 'edge' | 'worker') =>
    stopped.use(await startProcess(role, database.url, env, lines, before.folder));
  const starting = Promise.all([start('api'), start('edge'), start('worker')]);
  const cli = (args: string[], input: string): void => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [...launchOf('api', before.folder).nodeArgs, join(before.folder, 'scripts', 'cli.ts'), ...args],
      { env: { ...childEnvironment, DATABASE_URL: database.url, ...env }, input, encoding: 'utf8' },
    );
    expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  };
  let cookie = '';
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie, origin: `http://localhost:${apiPort}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}\n${lines.join('\n')}`);
    cookie =
      response.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ') || cookie;
    return JSON.parse(answer) as Record<string, unknown>;
  };

  cli(
    ['org', 'create', '--name', 'Before', '--plan', 'premium', '--owner-email', email, '--owner-password-stdin'],
    password,
  );
  await starting;

  await call('POST', '/auth/login', { email, password });
  await call('POST', '/webhook', { url: endpoint.url, events: ['link.created', 'link.clicked', 'link.updated'] });
  const destination = { type: 'link', value: 'https://example.com/' };
  const { id } = await call('POST', '/short-link', { slug: 'before', destination });
  const visit = await fetch(`http://127.0.0.1:${edgePort}/before`, {
    redirect: 'manual',
    headers: { host: edgeHost, 'user-agent': 'curl/8.5.0' },
  });
  expect([visit.status, visit.headers.get('location')]).toEqual([302, 'https://example.com/']);
  await call('PATCH', `/short-link/${String(id)}`, { title: 'Changed' });
  const types = ['link.created', 'link.clicked', 'link.updated'];
  await eventually(
    () => endpoint.received.map(({ body }) => (JSON.parse(body) as { type: string }).type),
    (received) => types.every((type) => received.includes(type)),
  );
  expect(await call('GET', `/short-link/${String(id)}`)).toMatchObject({ title: 'Changed', currentClicks: 1 });
  await call('DELETE', `/short-link/${String(id)}`);
  expect(lines).toEqual([]);
});
