import type { Sql } from '#db/connection/database.ts';
import { type ClaimedRow, today } from '#db/outbox.ts';

/** An organization's scans wait in two lanes: interactive ones, which a caller waits for, and bulk ones. */
export const scanLanes = { interactive: 0, bulk: 1 } as const;

export type ScanLane = (typeof scanLanes)[keyof typeof scanLanes];

/** Stands for an unknown organization: shares and budgets do not apply to its scans. */
export const noOrganization = '00000000-0000-0000-0000-000000000000';

interface ScanClaim {
  limit: number;
  leaseMs: number;
  /** Takes scans of this lane and of the lanes before it. */
  lane: ScanLane;
  /** Scans of one organization in a day (UTC); further ones wait for the next day. */
  perDay: number;
}

/** A claimed row of the outbox, with the lane that it waited in. */
export type ClaimedScan = ClaimedRow & { lane: ScanLane };

/**
 * Takes due scans, and leases them as `claim` does: interactive ones first, then organizations in turns, each one's oldest
 * first. An index finds the heads of all lines, however long a line is.
 */
// By hand: it takes turns among all lanes in one statement, each second, whether scans wait or not (bench rows C1 and V1).
export async function claimScans(sql: Sql, { limit, leaseMs, lane, perDay }: ScanClaim): Promise<ClaimedScan[]> {
  const { rows } = await sql.query<ClaimedScan & { place: number; wasDueAt: Date }>({
    name: 'scans_claim',
    // A millisecond of tolerance, as in `claim`.
    text: `
      with recursive lines as (
        (select lane, organization_id from outbox
          where kind = 'threat-scan' and parked_at is null and lane <= $3::int
          order by lane, organization_id limit 1)
        union all
        select n.lane, n.organization_id from lines l cross join lateral (
          select o.lane, o.organization_id from outbox o
          where o.kind = 'threat-scan' and o.parked_at is null and o.lane <= $3::int
            and (o.lane, o.organization_id) > (l.lane, l.organization_id)
          order by o.lane, o.organization_id limit 1) n
      ), shares as (
        select l.lane, l.organization_id,
          case when l.organization_id = '${noOrganization}' then $1::int
            else least($1::int, greatest(0, $4::int - coalesce(d.scans, 0))) end as share
        from lines l left join scan_days d on d.organization_id = l.organization_id and d.day = ${today}
      ), heads as materialized (
        select h.id, h.due_at, s.lane,
          row_number() over (partition by s.lane, s.organization_id order by h.due_at, h.id) as place
        from shares s cross join lateral (
          select o.id, o.due_at from outbox o
          where o.kind = 'threat-scan' and o.parked_at is null and o.lane = s.lane
            and o.organization_id = s.organization_id and o.due_at <= now() + interval '1 millisecond'
          order by o.due_at, o.id limit s.share) h
      ), chosen as materialized (
        select id, lane, place from heads order by lane, place, due_at, id limit $1
      ), due as materialized (
        select o.id, o.due_at, o.attempts, o.organization_id, c.lane, c.place from outbox o join chosen c using (id)
        where o.parked_at is null and o.due_at <= now() + interval '1 millisecond' for update of o skip locked
      ), counted as (
        insert into scan_days as d (organization_id, day, scans, is_spent)
        select organization_id, ${today}, count(*), count(*) >= $4::int from due
        where attempts = 0 and organization_id <> '${noOrganization}' group by 1 order by 1
        on conflict (organization_id, day) do update set
          scans = d.scans + excluded.scans, is_spent = d.scans + excluded.scans >= $4::int
      )
      update outbox o set due_at = now() + $2 * interval '1 millisecond', attempts = o.attempts + 1
      from due where o.id = due.id
      returning o.id, o.subject_id as "subjectId", o.generation, o.attempts, due.due_at as "wasDueAt", due.lane, due.place`,
    values: [limit, leaseMs, lane, perDay],
  });
  return rows
    .toSorted(
      (a, b) => a.lane - b.lane || a.place - b.place || a.wasDueAt.getTime() - b.wasDueAt.getTime() || a.id - b.id,
    )
    .map(({ id, subjectId, generation, attempts, lane: its }) => ({ id, subjectId, generation, attempts, lane: its }));
}

/** The scans that lag: they have waited for more than a second. */
export interface ScanLagging {
  /** Organizations whose interactive scans lag. */
  organizationIds: ReadonlySet<string>;
  /** Whether any bulk scans lag. */
  isBulk: boolean;
}

/**
 * Reads which scans lag by more than a second: rows that no relay has taken, and URLs that were requested within the last
 * minute and have no answer. Older requests do not count: one URL that cannot be scanned would make all scans of its
 * organization seem to lag.
 */
// By hand: creates that wait for a verdict run it, four times a second at most; no benchmark runs it.
export async function readScanLag(sql: Sql): Promise<ScanLagging> {
  const { rows } = await sql.query<{ organizationIds: string[]; isBulk: boolean }>({
    name: 'scans_lag',
    text: `
      select array(
        select organization_id::text from outbox where kind = 'threat-scan' and parked_at is null and lane = 0
          and attempts = 0 and due_at < now() - interval '1 second'
        union
        select organization_id::text from threat_verdicts where due_at is not null and scanned_at is null and lane = 0
          and requested_at < now() - interval '1 second' and requested_at > now() - interval '1 minute'
      ) as "organizationIds", exists (
        select from outbox where kind = 'threat-scan' and parked_at is null and lane = 1 and attempts = 0
          and due_at < now() - interval '1 second'
      ) as "isBulk"`,
  });
  return { organizationIds: new Set(rows[0]!.organizationIds), isBulk: rows[0]!.isBulk };
}
