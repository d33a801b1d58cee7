import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTemporal } from '#adapters/temporal/temporal.ts';
import { createTemporalAccess, type TemporalAccess, TemporalAccessError } from '#adapters/temporal/access.ts';
import { connectWorker, installRuntime } from '#adapters/temporal/worker.ts';
import { loadConfig } from '#config/load.ts';
import { makeFolder } from '#test/support/folders.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createAuthority } from '#test/support/certificates.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import { createTemporalGate, type TemporalGate } from '#test/support/temporal-gate.ts';
import { silent } from '#test/support/test-worker.ts';

const folder = makeFolder();
beforeAll(() => {
  installRuntime(silent);
});

let counter = 0;
/** Writes a file. @returns its path. */
function file(text: string): string {
  const path = join(folder, `${(counter += 1)}.pem`);
  writeFileSync(path, text);
  return path;
}

const accessBy = (gate: TemporalGate, env: NodeJS.ProcessEnv): TemporalAccess =>
  createTemporalAccess(gate.address, loadConfig({ TEMPORAL_ADDRESS: gate.address, ...env }));

/** Whether a client and a worker's connection get through, and their error messages where they do not. */
async function tryBoth(access: TemporalAccess): Promise<{ client: boolean; worker: boolean; reasons: string[] }> {
  const { namespace } = temporalForTest();
  const reasons: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void reasons.push(JSON.parse(line).reason) });
  const temporal = createTemporal({ ...access, namespace, log, checkEveryMs: 50 });
  await temporal.start();
  const stopping = new AbortController();
  const connecting = connectWorker(access, stopping.signal, log);
  // Ends when the client reaches Temporal, or when both have logged a reason.
  await eventually(async () => temporal.isReachable() || reasons.length > 1);
  const isRefused = reasons.length > 1;
  if (isRefused) stopping.abort();
  const connection = await connecting;
  let worker = false;
  if (connection !== undefined) {
    const client = new Client({ connection, namespace });
    worker =
      (await client.withDeadline(Date.now() + 5_000, () => client.workflow.count('WorkflowType = "none"'))).count === 0;
    await connection.close();
  }
  const client = temporal.isReachable();
  await temporal.close();
  return { client, worker, reasons };
}

const throughBoth = { client: true, worker: true };
const throughNone = { client: false, worker: false };

describe('a Temporal service behind TLS', () => {
  test('clients reach the service with its root certificate, and neither without it nor without TLS', async () => {
    await using gate = await createTemporalGate({ address: temporalForTest().address });
    const { cert } = gate.authority;
    expect(await tryBoth(accessBy(gate, { TEMPORAL_TLS_CA_FILE: file(cert) }))).toMatchObject(throughBoth);
    expect(gate.calls).toContain('/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo');
    // Another gate: the last check of the client above may still be under way.
    await using untouched = await createTemporalGate({ address: temporalForTest().address });
    const stranger = createAuthority('somebody').cert;
    for (const env of [{ TEMPORAL_TLS: 'true' }, { TEMPORAL_TLS_CA_FILE: file(stranger) }, {}]) {
      const { reasons, ...through } = await tryBoth(accessBy(untouched, env));
      expect(through).toEqual(throughNone);
      expect(reasons).toHaveLength(2);
    }
    expect(untouched.calls).toEqual([]);
  });

  test('clients send the API key that the service requires, and need no health check from it', async () => {
    const apiKey = 'a-key-of-the-service';
    await using gate = await createTemporalGate({ address: temporalForTest().address, apiKey });
    const env = { TEMPORAL_TLS_CA_FILE: file(gate.authority.cert) };
    expect(await tryBoth(accessBy(gate, { ...env, TEMPORAL_API_KEY_FILE: file(`${apiKey}\n`) }))).toMatchObject(
      throughBoth,
    );
    for (const wrong of [{}, { TEMPORAL_API_KEY: 'another-key' }]) {
      const { reasons, ...through } = await tryBoth(accessBy(gate, { ...env, ...wrong }));
      expect(through).toEqual(throughNone);
      expect(reasons.join()).not.toContain('key');
    }
  });

  test('clients send the certificate that the service requires', async () => {
    const clients = createAuthority('clients');
    const clientCaFile = file(clients.cert);
    await using gate = await createTemporalGate({ address: temporalForTest().address, clientCaFile });
    const env = { TEMPORAL_TLS_CA_FILE: file(gate.authority.cert) };
    const pairOf = ({ cert, key }: { cert: string; key: string }) => ({
      TEMPORAL_TLS_CERT_FILE: file(cert),
      TEMPORAL_TLS_KEY_FILE: file(key),
    });
    expect(await tryBoth(accessBy(gate, { ...env, ...pairOf(clients.issue(['waymark'])) }))).toMatchObject(throughBoth);
    for (const wrong of [{}, pairOf(createAuthority('strangers').issue(['waymark']))]) {
      expect(await tryBoth(accessBy(gate, { ...env, ...wrong }))).toMatchObject(throughNone);
    }
  });

  test('the API reaches a service behind TLS', { tags: ['process', 'nightly'] }, async () => {
    const apiKey = 'a-key-of-the-service';
    await using gate = await createTemporalGate({ address: temporalForTest().address, apiKey });
    await using database = await createTestDatabase();
    await using api = await startProcess('api', database.url, {
      TEMPORAL_ADDRESS: gate.address,
      TEMPORAL_TLS_CA_FILE: file(gate.authority.cert),
      TEMPORAL_API_KEY: apiKey,
    });
    const degraded = await eventually(
      async () => ((await (await fetch(`${api.url}/readyz`)).json()) as { degraded: string[] }).degraded,
      (names) => !names.includes('temporal'),
    );
    expect(degraded).toEqual(['worker: no heartbeat']);
    expect(gate.calls.length).toBeGreaterThan(0);
  });
});

describe('files for TLS', () => {
  const { cert, key } = createAuthority();
  const other = createAuthority();
  const none = '/no/such/file.pem';

  test.each([
    ['TEMPORAL_TLS_CA_FILE', `${none} cannot be read (ENOENT)`, { ca: none }],
    ['TEMPORAL_TLS_CA_FILE', 'holds no certificate in PEM', { ca: key }],
    ['TEMPORAL_TLS_CERT_FILE', 'holds no certificate in PEM', { cert: 'nonsense' }],
    ['TEMPORAL_TLS_KEY_FILE', 'holds no private key in PEM', { key: cert }],
    ['TEMPORAL_TLS_KEY_FILE', 'is not the key of TEMPORAL_TLS_CERT_FILE', { key: other.key }],
    ['TEMPORAL_TLS_KEY_FILE', `${none} cannot be read (ENOENT)`, { key: none }],
  ])('%s %s: the error names the setting', (name, what, wrong) => {
    const texts = { ca: cert, cert, key, ...wrong };
    const pathOf = (text: string): string => (text === none ? none : file(text));
    const config = loadConfig({
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      TEMPORAL_TLS_CA_FILE: pathOf(texts.ca),
      TEMPORAL_TLS_CERT_FILE: pathOf(texts.cert),
      TEMPORAL_TLS_KEY_FILE: pathOf(texts.key),
    });
    const create = () => createTemporalAccess('temporal.example:7233', config);
    expect(create).toThrow(TemporalAccessError);
    expect(create).toThrow(`${name}: ${what}`);
  });
});
