// @module-tag process
// @module-tag nightly

import { expect, test } from 'vitest';
import { notify } from '#db/notifications/notify.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createOrganization } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFakeWebRisk } from '#test/support/fake-web-risk.ts';
import { temporalForTest, useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

test('an API without a key of Web Risk goes by the lists of the worker, while they are fresh', async () => {
  await using fake = await createFakeWebRisk();
  fake.lists.add('MALWARE', ['bad.example/']);
  fake.flagExpression('bad.example/', ['MALWARE']);
  const { key } = await createOrganization(db);
  await using api = await startProcess('api', db.url, { THREAT_SCAN_WAIT_MS: '0' });
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
  await using _ = await startProcess('worker', db.url, {
    TEMPORAL_TASK_QUEUE: temporalForTest().taskQueue,
    WEB_RISK_ENDPOINT: fake.url,
    WEB_RISK_MODE: 'lists',
  });
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
});
