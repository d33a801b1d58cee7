import type { PoolClient } from 'pg';
import { botClickColumns } from '#core/clicks/click.ts';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import {
  countClicks,
  type Ingest,
  type IngestBatch,
  inTransaction,
  keepLive,
  type LiveClicks,
  OffsetMovedError,
} from '#db/clicks/ingest.ts';
import { idsOf, withoutIds } from '#db/clicks/lines.ts';
import { idsSql } from './ids.ts';
import { botClicksTable, clicksTable, insertLinesInto } from './schema.ts';

/**
 * Ingests batches exactly once where ClickHouse has the clicks and PostgreSQL their counters:
 * 1. PostgreSQL notes where the batch ends. An edge that ships the journal after this one has died ships the same batch (`readPlan`).
 * 2. ClickHouse inserts the clicks. It ignores a batch that it has inserted already; one that was planned before may have been
 *    inserted so long ago that it has forgotten: then the ids tell.
 * 3. PostgreSQL moves the offset, with counters and events, in one transaction.
 */
export function createClickHouseIngest(clickhouse: ClickHouse): Ingest {
  return async (client, site, batch, beforeCommit) => {
    const { isInDoubt } = await planBatch(client, batch);
    const live = await keepLive(client, batch.clicks);
    if (live.clicks.count > 0) await insertClicks(clickhouse, clicksTable, batch, live, isInDoubt);
    if (batch.bots !== undefined && batch.bots.count > 0) {
      const bots = await keepLive(client, batch.bots);
      if (bots.clicks.count > 0) await insertClicks(clickhouse, botClicksTable, batch, bots, isInDoubt);
    }
    return inTransaction(client, async () => {
      const done = await countClicks(client, site, batch, live, { isCountedByDay: false });
      await beforeCommit?.();
      return done;
    });
  };
}

// By hand, both statements: the edge, which loads no ORM, ships clicks by them (bench row I1).

/** Reads the end of a batch that was planned and perhaps inserted, but not counted; undefined: there is none. */
export async function readPlan(client: PoolClient, journalId: string): Promise<JournalOffset | undefined> {
  const { rows } = await client.query<JournalOffset>({
    name: 'ingest-plan-read',
    text: `select planned_segment as segment, planned_position as position from journals
      where id = $1 and (planned_segment, planned_position) > (segment, position)`,
    values: [journalId],
  });
  return rows[0];
}

/**
 * Notes the end of a batch.
 * @returns whether one from this offset was planned before.
 * @throws OffsetMovedError where the offset has moved, or one was planned with a nearer end.
 */
async function planBatch(client: PoolClient, { journalId, from, to }: IngestBatch): Promise<{ isInDoubt: boolean }> {
  const { rows } = await client.query<{ isInDoubt: boolean }>({
    name: 'ingest-plan',
    text: `with known as (
        select id, coalesce((planned_segment, planned_position) > (segment, position), false) as "isInDoubt" from journals
        where id = $1 and segment = $2 and position = $3 for no key update
      )
      update journals j set planned_segment = $4, planned_position = $5 from known
      where j.id = known.id and (not "isInDoubt" or ($4::int, $5::bigint) <= (j.planned_segment, j.planned_position))
      returning known."isInDoubt"`,
    values: [journalId, from.segment, from.position, to.segment, to.position],
  });
  if (rows.length === 0) throw new OffsetMovedError(journalId);
  return rows[0]!;
}

async function insertClicks(
  clickhouse: ClickHouse,
  table: string,
  { journalId, from, to }: IngestBatch,
  live: LiveClicks,
  isInDoubt: boolean,
): Promise<void> {
  const { clicks } = live;
  const { columns } = clicks;
  const known = isInDoubt ? await readKnown(clickhouse, table, live) : new Set<string>();
  if (known.size === clicks.count) return;
  const bytes = known.size === 0 ? clicks.bytes : await withoutIds(clicks, known);
  const token = [journalId, from.segment, from.position, to.segment, to.position].join('/');
  await clickhouse.insert(insertLinesInto(table, botClickColumns.slice(0, columns)), bytes, token);
}

async function readKnown(
  clickhouse: ClickHouse,
  table: string,
  { clicks, perOrganization }: LiveClicks,
): Promise<Set<string>> {
  const days = perOrganization.map(({ day }) => day).toSorted();
  const rows = await clickhouse.query<{ id: string }>(
    `select id from ${table}
     where organization_id in ${idsSql(perOrganization.map(({ organizationId }) => organizationId))}
       and link_id in ${idsSql(clicks.perLink.keys())}
       and toDate(clicked_at) >= {first:Date} and toDate(clicked_at) <= {last:Date} and id in ${idsSql(await idsOf(clicks))}`,
    { first: days[0], last: days.at(-1) },
  );
  return new Set(rows.map(({ id }) => id));
}
