// @module-tag process

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notify } from '#db/notifications/notify.ts';
import { startApiProcess } from './api-process.ts';
import { childEnvironment } from '#test/support/child-environment.ts';
import { createOrganization } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk } from '#test/support/fake-web-risk.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';

const secretKey = 'a secret key of at least 32 characters';
const db = useTestDatabase();

async function startWorker(endpoint: string): Promise<AsyncDisposable> {
  const { address, namespace, taskQueue } = temporalForTest();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../worker.ts')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...childEnvironment,
      DATABASE_URL: db.url,
      SECRET_KEY: secretKey,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_TASK_QUEUE: taskQueue,
      WEB_RISK_ENDPOINT: endpoint,
      WEB_RISK_MODE: 'lists',
      LOG_LEVEL: 'silent',
    },
  });
  await once(child, 'message');
  return {
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

test(
  'an API without a key of Web Risk goes by the lists of the worker, while they are fresh',
  { timeout: 90_000 },
  async () => {
    await using fake = await createFakeWebRisk();
    fake.lists.add('MALWARE', ['bad.example/']);
    fake.flagExpression('bad.example/', ['MALWARE']);
    const { key } = await createOrganization(db);
    await using api = await startApiProcess(db.url, { THREAT_SCAN_WAIT_MS: '0' });
    const create = async (url: string): Promise<{ id: string; threatTypes: string[] | null }> => {
      const response = await fetch(`${api.url}/short-link`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ destination: { type: 'link', value: url } }),
      });
      expect(response.status).toBe(201);
      const { id, destination } = (await response.json()) as {
        id: string;
        destination: { threatTypes: string[] | null };
      };
      return { id, threatTypes: destination.threatTypes };
    };
    const degraded = async (): Promise<string[]> =>
      ((await (await fetch(`${api.url}/readyz`)).json()) as { degraded: string[] }).degraded;

    // No worker has said what it goes by: the API's own list, the sample, does not count.
    expect((await create('https://early.example/')).threatTypes).toBeNull();
    await using _ = await startWorker(fake.url);
    let attempt = 0;
    await eventually(async () => (await create(`https://good${(attempt += 1)}.example/`)).threatTypes?.length === 0);

    const { id, threatTypes } = await create('https://www.bad.example/path');
    expect(threatTypes).toBeNull();
    await eventually(async () => {
      const { rows } = await db.query(
        `select threat_types as types from destinations d join threat_verdicts v using (url_hash) where link_id = $1`,
        [id],
      );
      return rows[0]?.types?.[0] === 'MALWARE';
    });
    expect(fake.lookups).toEqual([]);
    expect((await degraded()).filter((name) => name.startsWith('threat lists'))).toEqual([]);

    // An update that the schedule may start now changes nothing.
    fake.lists.fault(() => ({ status: 503 }));
    await db.query(`update threat_lists set next_diff_at = now() - interval '3 hours' where threat_type = 'MALWARE'`);
    await notify(db, 'waymark_threat_lists');
    await eventually(async () => (await degraded()).includes('threat lists: changes overdue for 180 min'));
    expect((await create('https://late.example/')).threatTypes).toBeNull();
  },
);
