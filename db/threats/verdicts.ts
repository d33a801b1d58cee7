import type { ThreatType } from '#core/threats/types.ts';
import type { Sql } from '#db/connection/database.ts';
import { onNamedAgain } from '#db/outbox.ts';
import { type ScanLane, scanLanes } from './scan-queue.ts';

/** What is known of a URL. `threatTypes` is null until it was scanned; `fresh` while the answer may be used unasked. */
export interface KnownVerdict {
  urlHash: string;
  threatTypes: ThreatType[] | null;
  fresh: boolean;
}

/** An answer to be stored. `threatTypes` null: there is no answer, and none is to be sought before `expiresAt`. */
export interface StoredVerdict {
  urlHash: string;
  threatTypes: ThreatType[] | null;
  expiresAt: Date;
}

/** A destination that waits for its verdict, with what an operator looks for. `urlHash` is hexadecimal. */
export interface ScanTarget {
  /** What the outbox names: the destination, the link that leads there once it has expired, or the domain that falls back. */
  destinationId: string;
  /** Null: it is a domain's. */
  linkId: string | null;
  domainId: string | null;
  organizationId: string;
  urlHash: string;
  url: string;
}

/** A URL whose verdict is due, or is known already. */
export interface ScanSubject extends KnownVerdict {
  url: string;
}

/** A verdict that is not what it was. Types are null before the first answer. */
export interface ChangedVerdict {
  urlHash: string;
  before: ThreatType[] | null;
  now: ThreatType[];
}

/**
 * How long an answer may be outstanding before the reconciler asks again. Together with the reconciler's interval it
 * stays below a minute: within that time all that is due is done, even when Temporal was emptied (12.5).
 */
export const answerDueMs = 20_000;

/**
 * SQL: live links and domains that lead to the URL whose hash an expression names: by a destination (of the link or of a
 * rule) or one of its deep links, once the link has expired, or as the domain's fallback. `subject_id` is what the outbox names.
 */
export const leadingTo = (urlHash: string): string => `
  select d.id as subject_id, l.id as link_id, l.organization_id
  from destinations d join short_links l on l.id = d.link_id and l.deleted_at is null
  where d.url_hash = ${urlHash}
  union all
  select d.id, l.id, l.organization_id
  from destinations d join short_links l on l.id = d.link_id and l.deleted_at is null
  where d.deep_link_hashes is not null and d.deep_link_hashes @> array[${urlHash}]
  union all
  select id, id, organization_id from short_links
  where expired_url is not null and deleted_at is null and hash_of_url(expired_url) = ${urlHash}
  union all
  select id, null, organization_id from domains
  where fallback_url is not null and deleted_at is null and organization_id is not null
    and hash_of_url(fallback_url) = ${urlHash}`;

/** A destination whose verdict is wanted, by whom and how urgently. */
export interface WantedVerdict {
  id: string;
  urlHash: Buffer;
  url: string;
  organizationId: string;
  lane: ScanLane;
}

// What waits in the outbox is looked at when it is taken; before that, nothing of a bulk scan is overdue.
const bulkDueMs = 3_600_000;

/**
 * Notes that verdicts are wanted: what is known is returned, and each destination whose URL has no fresh verdict goes
 * into the outbox. One statement; keys are written in sorted order, so that two callers never block each other.
 * Rows that are awaited already stay untouched: many links to one URL do not queue up behind its row.
 */
export async function requestRows(sql: Sql, destinations: readonly WantedVerdict[]): Promise<KnownVerdict[]> {
  const { rows } = await sql.query<KnownVerdict>({
    name: 'verdicts_request',
    text: `
      with wanted as materialized (
        select id, hash, url, organization_id, lane
        from unnest($1::uuid[], $2::bytea[], $3::text[], $5::uuid[], $6::smallint[]) as w (id, hash, url, organization_id, lane)
      ), known as materialized (
        select url_hash, threat_types, due_at, scanned_at is not null and expires_at > now() as fresh
        from threat_verdicts where url_hash = any($2::bytea[])
      ), asked as (
        insert into threat_verdicts as v (url_hash, url, due_at, organization_id, lane)
        select distinct on (hash) hash, url,
          now() + case when lane = 0 then $4 else ${bulkDueMs} end * interval '1 millisecond', organization_id, lane
        from wanted
        where hash not in (select url_hash from known where fresh or due_at is not null) order by hash, lane
        on conflict (url_hash) do update set requested_at = now(), due_at = excluded.due_at,
          organization_id = excluded.organization_id, lane = excluded.lane
        where v.due_at is null and (v.scanned_at is null or v.expires_at <= now())
      ), queued as (
        insert into outbox (kind, subject_id, organization_id, lane)
        select distinct on (id) 'threat-scan', id, organization_id, lane from wanted
        where hash not in (select url_hash from known where fresh) order by id, lane
        ${onNamedAgain}
      )
      select encode(url_hash, 'hex') as "urlHash", threat_types as "threatTypes", fresh from known`,
    values: [
      destinations.map((destination) => destination.id),
      destinations.map((destination) => destination.urlHash),
      destinations.map((destination) => destination.url),
      answerDueMs,
      destinations.map((destination) => destination.organizationId),
      destinations.map((destination) => destination.lane),
    ],
  });
  return rows;
}

/** Stores answers. An absent one leaves an older one in place. @returns what they change; a first one that is clean does not. */
export async function storeRows(sql: Sql, verdicts: readonly StoredVerdict[]): Promise<ChangedVerdict[]> {
  const { rows } = await sql.query<ChangedVerdict>({
    name: 'verdicts_store',
    text: `
      with answers as materialized (
        select decode(hash, 'hex') as url_hash, string_to_array(types, ',') as types, expires_at
        from unnest($1::text[], $2::text[], $3::timestamptz[]) as a (hash, types, expires_at)
      ), locked as materialized (
        select v.url_hash, v.threat_types as before
        from threat_verdicts v join answers using (url_hash) order by v.url_hash for update of v
      ), stored as (
        update threat_verdicts v set threat_types = coalesce(a.types, v.threat_types), scanned_at = now(),
          expires_at = a.expires_at, due_at = null
        from answers a join locked using (url_hash) where v.url_hash = a.url_hash
      )
      select encode(url_hash, 'hex') as "urlHash", before, types as now
      from locked join answers using (url_hash)
      -- The scanner's order of types says nothing.
      where types is not null and not (types @> coalesce(before, '{}') and types <@ coalesce(before, '{}'))`,
    values: [
      verdicts.map((verdict) => verdict.urlHash),
      verdicts.map((verdict) => verdict.threatTypes?.join(',') ?? null),
      verdicts.map((verdict) => verdict.expiresAt),
    ],
  });
  return rows;
}

/** Reads what is known of URLs, by hexadecimal hash; `fresh` is false while an answer is awaited. */
export async function findVerdicts(sql: Sql, urlHashes: readonly string[]): Promise<ScanSubject[]> {
  const { rows } = await sql.query<ScanSubject>({
    name: 'verdicts_find',
    text: `
      select encode(url_hash, 'hex') as "urlHash", url, threat_types as "threatTypes",
        due_at is null and scanned_at is not null and expires_at > now() as fresh
      from threat_verdicts where url_hash in (select decode(hash, 'hex') from unnest($1::text[]) as hash)`,
    values: [urlHashes],
  });
  return rows;
}

/** Reads where live links and domains lead that are to be scanned; what is gone or is no web address is left out. */
export async function listScanTargets(sql: Sql, subjectIds: readonly string[]): Promise<ScanTarget[]> {
  const { rows } = await sql.query<ScanTarget>({
    name: 'verdicts_targets',
    text: `
      with led as (
        select d.id, l.id as link_id, null::uuid as domain_id, l.organization_id, h.url_hash
        from destinations d join short_links l on l.id = d.link_id and l.deleted_at is null
        cross join lateral unnest(d.url_hash || coalesce(d.deep_link_hashes, '{}')) as h (url_hash)
        where d.id = any($1::uuid[])
        union all
        select id, id, null, organization_id, hash_of_url(expired_url)
        from short_links where id = any($1::uuid[]) and deleted_at is null
        union all
        select id, null, id, organization_id, hash_of_url(fallback_url)
        from domains where id = any($1::uuid[]) and deleted_at is null and organization_id is not null
      )
      select led.id as "destinationId", led.link_id as "linkId", led.domain_id as "domainId",
        led.organization_id as "organizationId", encode(v.url_hash, 'hex') as "urlHash", v.url
      from led
      -- Looked up by key, one by one: joined, the generic plan reads the whole table, which grows with every web address.
      cross join lateral (select url_hash, url from threat_verdicts t where t.url_hash = led.url_hash offset 0) v
      order by led.id`,
    values: [subjectIds],
  });
  return rows;
}

/** Moves the time at which outstanding answers count as overdue to `dueInMs` from now: somebody is at work on them. */
export async function extendDue(sql: Sql, urlHashes: readonly string[], dueInMs: number): Promise<void> {
  await sql.query({
    name: 'verdicts_extend',
    text: `
      with locked as materialized (
        select url_hash from threat_verdicts
        where url_hash in (select decode(hash, 'hex') from unnest($1::text[]) as hash) and due_at is not null
        order by url_hash for update
      )
      update threat_verdicts v set due_at = now() + $2 * interval '1 millisecond' from locked l where v.url_hash = l.url_hash`,
    values: [urlHashes, dueInMs],
  });
}

/**
 * Puts off answers that could not be had: the gap is as long as they have been wanted (30 s to 1 h), so that gaps double
 * without a counter. `atLeastMs` is a hint of the service that was asked.
 */
export async function postponeRows(
  sql: Sql,
  urlHashes: readonly string[],
  atLeastMs: number,
): Promise<Date | undefined> {
  const { rows } = await sql.query<{ dueAt: Date }>({
    name: 'verdicts_postpone',
    text: `
      with locked as materialized (
        select url_hash from threat_verdicts
        where url_hash in (select decode(hash, 'hex') from unnest($1::text[]) as hash) and due_at is not null
        order by url_hash for update
      )
      update threat_verdicts v set due_at = now() + greatest($2 * interval '1 millisecond',
        least(interval '1 hour', greatest(interval '30 seconds', now() - v.requested_at)))
      from locked l where v.url_hash = l.url_hash
      returning v.due_at as "dueAt"`,
    values: [urlHashes, atLeastMs],
  });
  return rows.map(({ dueAt }) => dueAt).toSorted((a, b) => a.getTime() - b.getTime())[0];
}

/**
 * Puts destinations whose verdicts are overdue back into the outbox, unless they wait (or are parked) there; verdicts
 * that no live link wants any more are no longer awaited.
 * @returns how many overdue verdicts were looked at; fewer than `limit`: all of them.
 */
export async function requeueOverdue(sql: Sql, limit: number): Promise<{ seen: number; requeued: number }> {
  const { rows } = await sql.query<{ seen: number; requeued: number }>({
    name: 'verdicts_overdue',
    text: `
      with overdue as materialized (
        select v.url_hash from threat_verdicts v
        where v.due_at < now() and not exists (
          select from (${leadingTo('v.url_hash')}) led
          join outbox o on o.kind = 'threat-scan' and o.subject_id = led.subject_id)
        order by v.due_at limit $1 for update skip locked
      ), chosen as materialized (
        select o.url_hash, led.subject_id as destination_id, led.organization_id
        from overdue o left join lateral (
          select subject_id, organization_id from (${leadingTo('o.url_hash')}) led order by subject_id desc limit 1
        ) led on true
      ), queued as (
        insert into outbox (kind, subject_id, organization_id, lane)
        select distinct on (destination_id) 'threat-scan', destination_id, organization_id, ${scanLanes.bulk}
        from chosen where destination_id is not null order by 2
        on conflict (kind, subject_id) do nothing returning id
      ), moved as (
        update threat_verdicts v
        set due_at = case when c.destination_id is not null then now() + $2 * interval '1 millisecond' end
        from chosen c where v.url_hash = c.url_hash
      )
      select (select count(*) from overdue) as seen, (select count(*) from queued) as requeued`,
    values: [limit, answerDueMs],
  });
  return rows[0]!;
}
