import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readClicks } from '#db/clicks/lines.ts';
import { ingest, readOffset } from '#db/clicks/ingest.ts';
import { createPartitions } from '#db/clicks/partitions.ts';
import { clickLine, type ClickOwner } from '#test/support/clicks.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { site } from '#test/support/site.ts';

const db = useTestDatabase();

const now = Date.UTC(2031, 4, 20);
const fail = (error: unknown): void => {
  throw error;
};

async function createOwner(): Promise<ClickOwner> {
  const organization = await createOrganization(db);
  const domain = await createDomain(db, organization.id);
  const { id } = await createLink(db, {
    organizationId: organization.id,
    domainId: domain.id,
    folderId: organization.folderId,
  });
  return { organization, domain, linkId: id };
}

/** Puts a click of each time into the database. */
async function click(owner: ClickOwner, ...timesMs: number[]): Promise<void> {
  const lines = timesMs.map((ms) => clickLine(owner, { clicked_at: new Date(ms).toISOString() }));
  const { clicks } = await readClicks(Buffer.from(lines.join('')));
  const journalId = randomUUID();
  const client = await db.pool.connect();
  try {
    const from = await readOffset(client, journalId);
    await ingest(client, site, { journalId, from, to: { ...from, position: 1 }, clicks, rejected: 0 });
  } finally {
    client.release();
  }
}

/** Names of the tables that hold a link's clicks, by time. */
async function tablesOf({ linkId }: ClickOwner): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    'select tableoid::regclass::text as name from clicks where link_id = $1 order by clicked_at',
    [linkId],
  );
  return rows.map(({ name }) => name);
}

const monthsOf = async (owner: ClickOwner): Promise<string[]> =>
  (await tablesOf(owner)).map((name) => name.replace(/_\d$/, ''));

describe('partitions', () => {
  test('of a month and the next are created once, by many processes at once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => createPartitions(db, fail).ensure([], now)));
    const owner = await createOwner();
    await click(owner, Date.UTC(2031, 4, 1), Date.UTC(2031, 5, 1) - 1, Date.UTC(2031, 5, 1));
    expect(await monthsOf(owner)).toEqual(['clicks_y2031m05', 'clicks_y2031m05', 'clicks_y2031m06']);
  });

  test('hold all clicks of an organization in one part, and those of others in other parts', async () => {
    await createPartitions(db, fail).ensure(['2031-01'], now);
    const owners = await Promise.all(Array.from({ length: 12 }, createOwner));
    for (const owner of owners) await click(owner, ...[1, 9, 31].map((day) => Date.UTC(2031, 0, day)));
    const tables = await Promise.all(owners.map(tablesOf));
    for (const own of tables) expect([own.length, new Set(own).size]).toEqual([3, 1]);
    // That all twelve fall into the same of eight happens once in 8,589,934,592 times.
    expect(new Set(tables.flat()).size).toBeGreaterThan(1);
  });

  test('take their clicks from the default partition when they are created; clicks of far-off times stay there', async () => {
    const owner = await createOwner();
    await click(owner, Date.UTC(2031, 1, 28), Date.UTC(1999, 0));
    expect(await tablesOf(owner)).toEqual(['clicks_default', 'clicks_default']);
    await createPartitions(db, fail).ensure(['2031-02', '1999-01', '2999-01', 'x'], now);
    expect(await monthsOf(owner)).toEqual(['clicks_default', 'clicks_y2031m02']);
    const { rows: made } = await db.query(
      `select 1 from pg_class where relname in ('clicks_y1999m01', 'clicks_y2999m01')`,
    );
    expect(made).toEqual([]);
  });

  test('are created later where the table is in use, and ingest goes on', { tags: 'slow' }, async () => {
    const reader = await db.pool.connect();
    await reader.query('begin');
    await reader.query('lock table clicks_default in access share mode');
    const errors: unknown[] = [];
    await createPartitions(db, (error) => errors.push(error)).ensure(['2031-03'], now);
    expect(errors).toHaveLength(1);
    await reader.query('rollback');
    reader.release();
    await createPartitions(db, fail).ensure(['2031-03'], now);
  });
});
