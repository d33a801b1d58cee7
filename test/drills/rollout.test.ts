// @module-tag process
// @module-tag nightly

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { findTemporalBinary } from '#scripts/embedded/temporal/binary.ts';
import { startTemporal } from '#scripts/embedded/temporal/temporal.ts';
import { root, waymarkVersion } from '#scripts/lib/paths.ts';
import { loadConfig } from '#config/load.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { freeNeighbours, freePorts } from '#test/support/free-ports.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createReceivers } from '#test/support/receivers.ts';
import { checkOutRelease, findCommitBefore } from '#test/support/release-before.ts';
import { createTestDatabase } from '#test/support/stack.ts';
import { refuse, startEndpoint } from '#test/support/webhook-stack.ts';

// Whole workers of the commit before and of this one beside an API, through every command of docs/rollouts.md: with an import, a delete,
// a webhook that fails and one that is well under way. A clone that lacks the commit before has this one's code in both.

const versions = { old: 'a'.repeat(12), new: 'b'.repeat(12) };
type Version = keyof typeof versions;
const execute = promisify(execFile);
const buildIds = {
  old: `${waymarkVersion()}-${versions.old}`,
  new: `${waymarkVersion()}-${versions.new}`,
};
const rows = 3_000;
// In place of six minutes.
const quickDrain = [
  'matching.wv.VersionDrainageStatusVisibilityGracePeriod="1s"',
  'matching.wv.VersionDrainageStatusRefreshInterval="1s"',
];
const page = readFileSync(join(root, 'docs', 'rollouts.md'), 'utf8');
const commands = new Set(page.match(/(?<=^ *)temporal .+$/gm));

test('old and new workers side by side: a rollout, a way back, and no task fails', { timeout: 900_000 }, async () => {
  await using stopped = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'waymark-rollout-'));
  stopped.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { TEMPORAL_CLI, WAYMARK_CACHE_DIR } = process.env;
  const config = loadConfig({ TEMPORAL_CLI, WAYMARK_CACHE_DIR });
  const binary = await findTemporalBinary({ cli: config.TEMPORAL_CLI, cacheDir: config.WAYMARK_CACHE_DIR });
  const [port] = await freePorts(1);
  const temporal = await startTemporal({
    binary: binary.path,
    dataDir: folder,
    inMemory: true,
    port: port!,
    settings: quickDrain,
  });
  stopped.defer(async () => void (await temporal.stop({ hurry: true })));
  const database = stopped.use(await createTestDatabase());
  const db = createDatabase({ url: database.url, onError: () => {} });
  stopped.defer(() => db.close());
  const receivers = createReceivers();
  stopped.defer(() => receivers.dispose());
  const [well, ill] = await Promise.all([startEndpoint(receivers), startEndpoint(receivers)]);
  ill.answer = refuse(503);
  const organization = await createOrganization(db);
  const lines: string[] = [];
  const env = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    WAYMARK_DATA_DIR: folder,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: receivers.caFile,
    WEBHOOK_RETRY_DELAYS: '0.3,0.6,1,2,4',
    DNS_SERVERS: '127.0.0.1:9',
    THREAT_SCAN_WAIT_MS: '0',
  };
  const api = stopped.use(await startProcess('api', database.url, env, lines));
  const commit = findCommitBefore();
  const before = commit === undefined ? undefined : stopped.use(checkOutRelease(commit));

  /** Starts a worker, of a version or of none. */
  async function startWorker(version?: Version) {
    const metricsPort = await freeNeighbours(2);
    const own = version === undefined ? {} : { WORKER_VERSIONING: 'true', BUILD_COMMIT: versions[version] };
    const settings = { ...env, ...own, METRICS_PORT: String(metricsPort) };
    const checkout = version === 'old' ? before?.folder : undefined;
    const worker = stopped.use(await startProcess('worker', database.url, settings, lines, checkout));
    const get = async (path: string) => fetch(`http://127.0.0.1:${metricsPort}${path}`);
    return {
      ...worker,
      get,
      routedAs: async () => /waymark_worker_version\{.*routing="(\w+)"/.exec(await (await get('/metrics')).text())?.[1],
    };
  }

  const commandEnv = {
    PATH: `${dirname(binary.path)}:${process.env.PATH}`,
    HOME: folder,
    TEMPORAL_ADDRESS: temporal.address,
  };

  /** Runs the command of the page that has these words. @param last the version that is `<old>` there. */
  async function run(words: string, last: Version = 'old'): Promise<string> {
    const found = page.match(/(?<=^ *)temporal .+$/gm)!.filter((command) => command.includes(words));
    expect(found).toHaveLength(1);
    commands.delete(found[0]!);
    const next: Version = last === 'old' ? 'new' : 'old';
    const command = found[0]!.replaceAll('<new>', buildIds[next]).replaceAll('<old>', buildIds[last]);
    // A version is refused until its workers poll all queues.
    return eventually(
      () =>
        execute('sh', ['-c', command], { env: commandEnv }).then(
          ({ stdout }) => stdout,
          () => undefined,
        ),
      (stdout) => stdout !== undefined,
    ) as Promise<string>;
  }

  async function call(method: string, path: string, body?: object | FormData): Promise<Record<string, unknown>> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: { 'x-api-key': organization.key, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  /** Makes a link, and waits until the webhook that is well was told. */
  async function deliver(): Promise<void> {
    const { id } = await call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
    await eventually(() => well.received.some(({ body }) => body.includes(String(id))));
  }

  /** Of its last run; undefined: no version. */
  async function versionOf(workflowId: string): Promise<string | undefined> {
    const { stdout } = await execute(binary.path, [
      'workflow',
      'describe',
      '-w',
      workflowId,
      '-o',
      'json',
      '--address',
      temporal.address,
    ]);
    const { workflowExecutionInfo } = JSON.parse(stdout) as {
      workflowExecutionInfo: { versioningInfo?: { deploymentVersion?: { buildId: string } } };
    };
    return workflowExecutionInfo.versioningInfo?.deploymentVersion?.buildId;
  }

  /** Wakes again and again what sleeps in a version, until the entities are in the other one. */
  const moved = (ids: readonly string[], last: Version, to: string | undefined): Promise<unknown> =>
    eventually(
      async () => {
        await run('workflow signal', last);
        return Promise.all(ids.map((id) => versionOf(id)));
      },
      (found) => found.every((version) => version === to),
    );

  // A first worker gets nothing until its version is current.
  const old = await startWorker('old');
  await eventually(async () => (await old.routedAs()) === 'none');
  const unready = await old.get('/readyz');
  expect([unready.status, await unready.text()]).toEqual([
    503,
    expect.stringContaining('no version of the workers is current'),
  ]);
  expect((await old.get('/healthz')).status).toBe(200);
  expect(lines.join('\n')).toContain(`set-current-version --deployment-name waymark --build-id ${buildIds.old}`);
  await run('--build-id <new> --yes', 'new');
  await eventually(async () => (await old.get('/readyz')).ok);

  const events = ['link.created'];
  const [wellHook, illHook] = await Promise.all(
    [well, ill].map(({ url }) => call('POST', '/webhook', { url, events })),
  );
  const [domain, doomed] = await Promise.all(
    ['go', 'old'].map((name) => call('POST', '/domain', { domain: `${name}.example.com` })),
  );
  const entities = [
    `webhook/${String(wellHook!.id)}`,
    `webhook/${String(illHook!.id)}`,
    `domain/${String(domain!.id)}`,
  ];
  await deliver();
  await eventually(async () =>
    (await Promise.all(entities.map(versionOf))).every((version) => version === buildIds.old),
  );

  // An import waits in its first turn for its own row, and a delete for clicks under way.
  const form = new FormData();
  const csv = ['keyword,url', ...Array.from({ length: rows }, (_, row) => `row-${row},https://site.example/${row}`)];
  form.set('format', 'yourls');
  form.set('file', new Blob([csv.join('\n')]), 'links.csv');
  const importId = String((await call('POST', '/short-link/import', form)).id);
  const [holding, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  stopped.defer(() => release.resolve());
  const importing = db.transaction(async (tx) => {
    await tx.query('select 1 from imports where id = $1 for update', [importId]);
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  expect((await call('GET', `/short-link/import/${importId}`)).state).not.toBe('completed');
  await call('DELETE', `/domain/${String(doomed!.id)}`);
  const begun = [`import/${importId}`, `delete-domain/${String(doomed!.id)}`];
  await eventually(async () =>
    (await Promise.all(begun.map((id) => versionOf(id).catch(() => '')))).every((version) => version === buildIds.old),
  );

  // Rollout.
  const next = await startWorker('new');
  await eventually(async () => (await next.routedAs()) === 'pinned');
  await eventually(async () => (await next.get('/readyz')).ok);
  expect(await run('deployment describe ')).toContain(buildIds.new);
  await run('--percentage 10');
  await eventually(async () => (await next.routedAs()) === 'ramping');
  await run('--delete');
  await run('--build-id <new> --yes');
  await eventually(async () => `${await next.routedAs()} ${await old.routedAs()}` === 'current pinned');
  await deliver();
  await moved(entities, 'old', buildIds.new);
  release.resolve();
  await importing;
  await eventually(
    () => call('GET', `/short-link/import/${importId}`),
    ({ state, imported }) => state === 'completed' && imported === rows,
  );
  await eventually(async () => !(await run('workflow list')).includes('Running'));
  expect(await Promise.all(begun.map(versionOf))).toEqual([buildIds.old, buildIds.old]);
  // Schedules run in the current version.
  await execute(binary.path, ['schedule', 'trigger', '-s', 'housekeeping', '--address', temporal.address]);
  await eventually(async () =>
    (
      await execute(binary.path, [
        'workflow',
        'list',
        '--query',
        `WorkflowType = 'housekeeping' and TemporalWorkerDeploymentVersion = 'waymark:${buildIds.new}'`,
        '--address',
        temporal.address,
      ])
    ).stdout.includes('housekeeping-'),
  );
  await eventually(async () => (await run('describe-version')).includes('drained'));
  await old.kill();
  await deliver();

  // Way back, with a worker of the old version that comes again.
  await startWorker('old');
  await run('--build-id <new> --yes', 'new');
  await moved(entities, 'new', buildIds.old);
  await deliver();
  await run('terminate');

  // And to workers without a version.
  await startWorker();
  await run('--unversioned');
  await moved(entities, 'old', undefined);
  await deliver();

  expect([...commands]).toEqual([]);
  expect(lines.filter((line) => /workflow task|nondeterminism|determinism/i.test(line))).toEqual([]);
});
