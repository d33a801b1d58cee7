import { sql } from 'kysely';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lanes, today } from '#db/outbox.ts';

/** What an organization gets of the scans that it asks for; the others wait until its budget of the next day (UTC). */
interface ScanGrant {
  granted: number;
  nextDayInMs: number;
}

/** Counts scans in the daily budgets of organizations. @param asked how many scans each organization asks for. */
// By hand: it adds to a row for each organization, and reads what was there, with every batch of the relay (bench row V1).
export async function takeScans(
  db: Sql,
  asked: ReadonlyMap<string, number>,
  perDay: number,
): Promise<Map<string, ScanGrant>> {
  const { rows } = await db.query<{ organizationId: string; scans: number; nextDayInMs: number }>({
    name: 'scans_take',
    text: `
      insert into scan_days as d (organization_id, day, scans, is_spent)
      select organization_id, ${today}, scans, scans >= $3::int
      from unnest($1::uuid[], $2::int[]) as a (organization_id, scans) order by 1
      on conflict (organization_id, day) do update set
        scans = d.scans + excluded.scans, is_spent = d.scans + excluded.scans >= $3::int
      returning organization_id as "organizationId", scans,
        (extract(epoch from (${today} + 1)::timestamp - (now() at time zone 'UTC')) * 1000)::float8 as "nextDayInMs"`,
    values: [[...asked.keys()], [...asked.values()], perDay],
  });
  return new Map(
    rows.map(({ organizationId, scans, nextDayInMs }) => {
      const wanted = asked.get(organizationId)!;
      return [organizationId, { granted: Math.max(0, Math.min(wanted, perDay - (scans - wanted))), nextDayInMs }];
    }),
  );
}

/** The scans that lag: they have waited for more than a second. */
export interface ScanLagging {
  organizationIds: ReadonlySet<string>;
  isBulk: boolean;
}

/**
 * Reads which scans lag by more than a second: rows that no relay has taken, and URLs that were requested within the last
 * minute and have no answer. Older requests do not count: one URL that cannot be scanned would make all scans of its
 * organization seem to lag.
 */
export async function readScanLag({ kysely }: EntityManager): Promise<ScanLagging> {
  const aSecondAgo = sql<Date>`now() - interval '1 second'`;
  const untaken = kysely
    .selectFrom('OutboxRow')
    .where('kind', '=', 'threat-scan')
    .where('parkedAt', 'is', null)
    .where('attempts', '=', 0)
    .where('dueAt', '<', aSecondAgo);
  const unanswered = kysely
    .selectFrom('ThreatVerdict')
    .where('dueAt', 'is not', null)
    .where('scannedAt', 'is', null)
    .where('lane', '=', lanes.interactive)
    .where('requestedAt', '<', aSecondAgo)
    .where('requestedAt', '>', sql<Date>`now() - interval '1 minute'`);
  const interactive = untaken.where('lane', '=', lanes.interactive).select('organizationId');
  const { organizationIds, isBulk } = await kysely
    .selectNoFrom(({ exists }) => [
      sql<string[]>`array(${interactive.union(unanswered.select('organizationId'))})`.as('organizationIds'),
      exists(untaken.where('lane', '=', lanes.bulk).select('id'))
        .$castTo<boolean>()
        .as('isBulk'),
    ])
    .executeTakeFirstOrThrow();
  return { organizationIds: new Set(organizationIds), isBulk };
}
