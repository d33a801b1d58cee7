import { expect, test } from 'vitest';
import { createPartitions } from '#db/clicks/partitions.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { removeClicks } from '#db/deletions/clicks.ts';
import { lockRolls } from '#db/stats/rollups.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

const db = useTestDatabase();

const nowMs = Date.UTC(2024, 4, 6);

/** A link with 12 clicks in the default partition. */
async function createClicks(): Promise<{ organizationId: string; linkId: string }> {
  const { id: organizationId, folderId } = await createOrganization(db);
  const { id: domainId } = await createDomain(db, organizationId);
  const { id: linkId } = await createLink(db, { organizationId, domainId, folderId });
  const clickedAtMs = nowMs;
  const click = () => testClick({ organizationId, linkId, domainId, folderId, clickedAtMs });
  await ingestClicks(db, Array.from({ length: 12 }, click));
  return { organizationId, linkId };
}

test('clicks that move to another partition during their removal are removed from there', async () => {
  const { organizationId, linkId } = await createClicks();
  const em = createEntityManager(db).fork();
  const purging = await db.transaction(async (tx) => {
    await lockRolls(tx, organizationId);
    const purge = removeClicks(em, { organizationId, linkIds: [linkId], limit: 10 });
    await eventually(
      async () =>
        (
          await db.query(
            `select from pg_locks where locktype = 'advisory' and not granted
               and database = (select oid from pg_database where datname = current_database())`,
          )
        ).rowCount,
      (waiting) => waiting === 1,
    );
    await createPartitions(db, () => undefined).ensure(['2024-05'], nowMs);
    return { purge };
  });
  expect(await purging.purge).toBe(10);
  expect(await removeClicks(em, { organizationId, linkIds: [linkId], limit: 10 })).toBe(2);
  expect(await removeClicks(em, { organizationId, linkIds: [linkId], limit: 10 })).toBe(0);
});
