import { expect, test } from 'vitest';
import { createRecorder, type Recorded } from '#activities/webhooks/recorder.ts';
import type { Sql } from '#db/connection/database.ts';

const failed: Recorded = {
  id: '',
  isDelivered: false,
  isGone: false,
  at: new Date(),
  code: 500,
  durationMs: 1,
  body: '',
  error: null,
  gapMs: undefined,
  endedAtMs: 0,
};

test('what a claim was told before outcomes were written counts for nothing, but that the webhook is off', async () => {
  const answer = { rows: [{ isOn: true, failures: 10, probeInMs: 60_000 }], rowCount: 1 };
  const sql = { query: async () => answer } as unknown as Sql;
  const recorder = createRecorder({ sql, webhookId: '', claim: '', probeDelaysMs: [], onChange: () => {} });
  for (let count = 0; count < 10; count += 1) recorder.add(failed);
  const before = recorder.moment();
  await recorder.finish();
  const old = { failures: 0, probeInMs: null, isOn: true };
  recorder.learn(old, before);
  expect(recorder.standing).toMatchObject({ failures: 10, isOn: true });
  recorder.learn({ ...old, isOn: false }, before);
  expect(recorder.standing).toMatchObject({ failures: 10, isOn: false });
  recorder.learn({ ...old, failures: 3 }, recorder.moment());
  expect(recorder.standing).toMatchObject({ failures: 3, probeAtMs: null });
});
