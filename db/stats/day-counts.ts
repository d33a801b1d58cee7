import type { Sql } from '#db/connection/database.ts';

/** Clicks of an organization's links in a quarter of an hour (UTC). */
export interface OrganizationClicks {
  organizationId: string;
  /** `YYYY-MM-DD` */
  day: string;
  /** From 0 at midnight to 95. */
  quarter: number;
  clicks: number;
}

/**
 * Adds clicks to the counts, in the transaction that inserts them, in the order of keys: two such transactions cannot deadlock.
 */
// By hand: every ingest runs it, on the edge (bench row I1).
export async function addToDayCounts(tx: Sql, added: readonly OrganizationClicks[]): Promise<void> {
  const days = new Map<string, { organizationId: string; day: string; quarters: number[] }>();
  for (const { organizationId, day, quarter, clicks } of added) {
    const key = organizationId + day;
    let known = days.get(key);
    if (known === undefined) days.set(key, (known = { organizationId, day, quarters: [] }));
    known.quarters[quarter] = (known.quarters[quarter] ?? 0) + clicks;
  }
  const sorted = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
  const own = 'click_days.quarters';
  const more = 'excluded.quarters';
  const [first, last] = [`array_lower(${more}, 1)`, `array_upper(${more}, 1)`];
  await tx.query({
    name: 'day-counts-add',
    // Only the slice of the array that changes is written; the array grows with it.
    text: `insert into click_days (organization_id, day, quarters)
      select organization_id, day, quarters::int[]
      from unnest($1::uuid[], $2::date[], $3::text[]) added (organization_id, day, quarters)
      on conflict (organization_id, day) do update set quarters[${first}:${last}] =
        array(select coalesce(${own}[i], 0) + ${more}[i] from generate_series(${first}, ${last}) i order by i)`,
    values: [
      sorted.map(({ organizationId }) => organizationId),
      sorted.map(({ day }) => day),
      sorted.map(({ quarters }) => toSlice(quarters)),
    ],
  });
}

/** The used part of an array in PostgreSQL's notation with bounds, which begin at 1. */
function toSlice(quarters: readonly (number | undefined)[]): string {
  const first = quarters.findIndex((clicks) => clicks !== undefined);
  const used = Array.from(quarters.slice(first), (clicks) => clicks ?? 0);
  return `[${first + 1}:${quarters.length}]={${used.join(',')}}`;
}
