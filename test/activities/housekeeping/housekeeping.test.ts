import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createHousekeepingActivities, type ForgottenRows } from '#activities/housekeeping/housekeeping.ts';
import { createExpiryActivities } from '#activities/links/expiries.ts';
import { asActivity } from '#test/support/activities.ts';
import { createLinkOwner, insertLinks } from '#test/support/durable.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { insertRow } from '#test/support/rows.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { site } from '#test/support/test-worker.ts';

const db = useTestDatabase();
const nowMs = Date.now();

const count = async (table: string): Promise<number> =>
  (await db.query<{ count: number }>(`select count(*) as count from ${table}`)).rows[0]!.count;

/** One row of each kind that is too old, and more events than a batch takes. */
async function putOldRows(): Promise<void> {
  const organization = await createOrganization(db);
  const dayMs = 24 * 60 * 60 * 1_000;
  for (let day = 31; day < 38; day += 1) {
    const id = uuidv7({ msecs: nowMs - day * dayMs });
    await db.query(`insert into events (id, organization_id, type, body) values ($1, $2, 'link.created', '{}')`, [
      id,
      organization.id,
    ]);
  }
  await db.query(`insert into sign_in_failures (id, account, client, failed_at)
    values (gen_random_uuid(), 'a', 'b', now() - interval '16 minutes'), (gen_random_uuid(), 'a', 'b', now())`);
  await db.query(`insert into password_resets (id, account, expires_at) values
    (gen_random_uuid(), 'a', now() - interval '1 second'), (gen_random_uuid(), 'a', now() + interval '1 hour')`);
  await db.query(`insert into link_password_failures (link_id, client, failed_at, last_failed_at) values
    (gen_random_uuid(), 'a', array[now() - interval '16 minutes'], now() - interval '16 minutes'),
    (gen_random_uuid(), 'a', array[now()], now())`);
  await db.query(
    `insert into scan_days (organization_id, day, scans, is_spent) values
    ($1, current_date - 3, 1, false), ($1, current_date, 1, false)`,
    [organization.id],
  );
  await db.query(`insert into journals (id, segment, position, finished_at) values
    (gen_random_uuid(), 1, 0, now() - interval '31 days'), (gen_random_uuid(), 1, 0, now() - interval '29 days')`);
  for (const days of [8, 6])
    await insertRow(db, 'request_log', { organization_id: organization.id, at: new Date(nowMs - days * dayMs) });
  await db.query(`insert into scan_batches (id, created_at, recorded_at, subject_ids, link_ids) values
    (gen_random_uuid(), now() - interval '31 days', now() - interval '31 days', '{}', '{}'),
    (gen_random_uuid(), now() - interval '29 days', null, '{}', '{}')`);
}

test.each<{ rows: ForgottenRows; tables: string[]; left: number }>([
  { rows: 'events', tables: ['events'], left: 0 },
  { rows: 'signIns', tables: ['sign_in_failures'], left: 1 },
  { rows: 'sessions', tables: ['password_resets'], left: 1 },
  { rows: 'passwords', tables: ['link_password_failures'], left: 1 },
  { rows: 'scanDays', tables: ['scan_days'], left: 1 },
  { rows: 'scanBatches', tables: ['scan_batches'], left: 1 },
  { rows: 'journals', tables: ['journals'], left: 1 },
  { rows: 'requestLog', tables: ['request_log'], left: 1 },
])('housekeeping deletes old $rows and no others', async ({ rows, tables, left }) => {
  await db.query(`truncate events, ${tables.join(', ')} cascade`);
  await putOldRows();
  const { forgetRows } = createHousekeepingActivities({ em: emOf(db), callsKeptDays: 7, eventsAtOnce: 3 });
  expect(await asActivity(() => forgetRows({ rows }))).toEqual({ more: false });
  for (const table of tables) expect({ table, rows: await count(table) }).toEqual({ table, rows: left });
});

test('housekeeping reports each link whose end has passed once, in batches', async () => {
  const owner = await createLinkOwner(db);
  const links = await insertLinks(db, owner, ['https://a.example/', 'https://b.example/', 'https://c.example/']);
  await db.query('update short_links set expires_at = now() where organization_id = $1', [owner.organizationId]);
  const { reportExpiredLinks } = createExpiryActivities({ em: emOf(db), site, linksAtOnce: 2 });
  expect(await asActivity(reportExpiredLinks)).toEqual({ reported: 3, more: false });
  expect(await asActivity(reportExpiredLinks)).toEqual({ reported: 0, more: false });
  const { rows } = await db.query<{ link_id: string }>(`select link_id from events where type = 'link.expired'`);
  expect(rows.map((row) => row.link_id).toSorted()).toEqual(links.map(({ id }) => id).toSorted());
});
