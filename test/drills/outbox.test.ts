// @module-tag slow

import { expect, test } from 'vitest';
import { createReadiness } from '#api/health/readiness.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { enqueue } from '#db/outbox.ts';
import { outboxHealth } from '#db/outbox-rows.ts';
import { createRelay } from '#relay/relay.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createLinkOwner, createScannedLinks } from '#test/support/durable.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { reachable, type StartScan, startingScans } from '#test/support/relay.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent, site } from '#test/support/test-worker.ts';

const db = useTestDatabase({ onError: () => {} });
const api = useOwnTestApi(async () => ({
  besides: { databaseUrl: db.url, organization: await createOrganization(db) },
  health: createReadiness({
    sql: db,
    isTemporalReachable: () => true,
    isDatabaseFull: () => false,
    readDisk: async () => ({ freeBytes: 1, totalBytes: 1 }),
    diskWarnBytes: 0,
    now: Date.now,
  }),
}));

test(
  'two relays park a poison row and do all others once; the API’s readyz tells of it until it is mended',
  { tags: 'nightly' },
  async () => {
    const isTold = async (): Promise<boolean> => {
      const { status, body } = await api.call('GET', '/readyz');
      expect(status).toBe(200);
      return body.degraded.includes('outbox: 1 parked');
    };
    expect(await isTold()).toBe(false);

    const owner = await createLinkOwner(db);
    const urls = Array.from({ length: 200 }, (_, index) => `https://site${index}.example/`);
    const [poison, ...others] = await createScannedLinks(db, owner, urls);
    const started: string[] = [];
    let isPoisonous = true;
    const startScan: StartScan = async ({ destinationIds, urlHashes }) => {
      if (isPoisonous && destinationIds.includes(poison!.destinationId)) {
        throw new Error('it cannot be started');
      }
      started.push(...destinationIds);
      const expiresAt = new Date(Date.now() + 60_000);
      await storeVerdicts(
        emOf(db),
        urlHashes.map((urlHash) => ({ urlHash, threatTypes: [], expiresAt })),
        site,
      );
      return { workflowId: `fake/${started.length}` };
    };
    const relays = [1, 2].map(() =>
      createRelay({
        db,
        em: emOf(db),
        startWorkflow: startingScans(startScan),
        temporal: reachable,
        log: silent,
        pollEveryMs: 20,
        reconcileEveryMs: 50,
      }),
    );
    try {
      await eventually(async () => {
        // Time flies for it: its gaps need not be waited for.
        await db.query('update outbox set due_at = now() where subject_id = $1 and parked_at is null', [
          poison!.destinationId,
        ]);
        return (await outboxHealth(emOf(db))).parked === 1;
      });
      await eventually(async () => (await outboxHealth(emOf(db))).waiting === 0);
      expect(started.toSorted()).toEqual(others.map((link) => link.destinationId).toSorted());
      expect(await isTold()).toBe(true);

      isPoisonous = false;
      await enqueue(db, 'threat-scan', [poison!.destinationId]);
      await eventually(async () => !(await isTold()));
      await eventually(async () => started.length === urls.length);
    } finally {
      await Promise.all(relays.map((relay) => relay.stop()));
    }
  },
);
