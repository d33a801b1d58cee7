import { sql } from 'kysely';
import type { ThreatType } from '#core/threats/types.ts';
import type { Sql, Transaction } from '#db/connection/database.ts';
import { anyHash } from '#db/any-of.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { type Lane, lanes, onEnqueuedAgain } from '#db/outbox.ts';
import { leadingTo } from './leading-to.ts';

/** The stored verdict on a URL. `threatTypes` is null before the first scan; `fresh`: no scan is needed. */
export interface KnownVerdict {
  urlHash: string;
  threatTypes: ThreatType[] | null;
  fresh: boolean;
}

/** An answer to be stored. `threatTypes` null: the scanner has none, and is not asked again before `expiresAt`. */
export interface StoredVerdict {
  urlHash: string;
  threatTypes: ThreatType[] | null;
  expiresAt: Date;
}

/** A destination that waits for its verdict, with ids for operators. `urlHash` is hexadecimal. */
export interface ScanTarget {
  /** Subject of the outbox row: the destination, the link whose expired URL it is, or the domain whose fallback it is. */
  destinationId: string;
  /** Null: a domain's fallback. */
  linkId: string | null;
  domainId: string | null;
  organizationId: string;
  urlHash: string;
  url: string;
}

export interface ScanSubject extends KnownVerdict {
  url: string;
}

/** A verdict that has changed. Types are null before the first answer. */
export interface ChangedVerdict {
  urlHash: string;
  before: ThreatType[] | null;
  now: ThreatType[];
}

/**
 * How long an answer may be outstanding before the reconciler asks again. Together with the reconciler's interval that is below
 * a minute, also where Temporal has lost its state (12.5).
 */
export const answerDueMs = 20_000;

/** A destination to scan, with its organization and lane. */
export interface WantedVerdict {
  id: string;
  /** Hexadecimal. */
  urlHash: string;
  url: string;
  organizationId: string;
  lane: Lane;
  /** The answer, where the installation knows it by itself; null: it must be scanned for. */
  threatTypes: ThreatType[] | null;
  /** Until when the answer holds. */
  expiresAt: Date | null;
}

// Until a relay has claimed it, no bulk scan is overdue.
const bulkDueMs = 3_600_000;
const gatherMs = 5_000;

/**
 * Requests verdicts: returns the stored ones, and enqueues each destination whose URL has no fresh verdict. A known answer becomes
 * the verdict, unless it contradicts the stored one: then the URL is scanned, because a changed verdict concerns all links to it.
 * A clean answer is scanned as well, which only records it in Temporal: in the bulk lane, some seconds later, so that those of an
 * organization gather in few workflows. A known threat is enqueued too: its scan looks nothing up, and reports the destination.
 *
 * One statement; keys are written in sorted order, so that two callers cannot deadlock. Verdicts that are awaited already are not
 * written: many links to one URL do not wait for its row.
 */
// By hand: every create of a link runs it, and one statement of four writes locks verdicts in one order (bench row C1).
export async function requestRows(tx: Transaction, destinations: readonly WantedVerdict[]): Promise<KnownVerdict[]> {
  const { rows } = await tx.query<KnownVerdict>({
    name: 'verdicts_request',
    text: `
      with known as materialized (
        select url_hash, threat_types, due_at, scanned_at is not null and expires_at > now() as fresh
        from threat_verdicts where url_hash = any($2::bytea[])
      ), wanted as materialized (
        select w.id, w.hash, w.url, w.organization_id, w.lane, w.types, w.expires_at,
          coalesce(k.fresh and (w.types is null or w.is_same), false) as is_settled,
          coalesce(k.fresh and k.threat_types <> '{}', false) as is_threat,
          w.types is not null and (k.threat_types is null or w.is_same) as is_answered,
          k.due_at is not null as is_awaited
        from (
          select id, hash, url, organization_id, lane, string_to_array(types, ',') as types, expires_at
          from unnest($1::uuid[], $2::bytea[], $3::text[], $5::uuid[], $6::smallint[], $7::text[], $8::timestamptz[])
            as given (id, hash, url, organization_id, lane, types, expires_at)
        ) given
        left join known k on k.url_hash = given.hash
        cross join lateral (
          select given.*, given.types @> k.threat_types and given.types <@ k.threat_types as is_same
        ) w
      ), written as (
        insert into threat_verdicts as v (url_hash, url, threat_types, scanned_at, expires_at, due_at, organization_id, lane)
        select distinct on (hash) hash, url, case when is_answered then types end, case when is_answered then now() end,
          case when is_answered then expires_at end,
          case when not is_answered
            then now() + case when lane = 0 then $4 else ${bulkDueMs} end * interval '1 millisecond' end,
          organization_id, lane
        from wanted where not is_settled and (is_answered or not is_awaited) order by hash, lane
        on conflict (url_hash) do update set requested_at = now(),
          threat_types = coalesce(excluded.threat_types, v.threat_types),
          scanned_at = coalesce(excluded.scanned_at, v.scanned_at),
          expires_at = coalesce(excluded.expires_at, v.expires_at),
          due_at = excluded.due_at, organization_id = excluded.organization_id, lane = excluded.lane
        -- Another transaction may have written the verdict since it was read.
        where case when excluded.scanned_at is null then v.due_at is null
          else v.threat_types is null
            or (v.threat_types @> excluded.threat_types and v.threat_types <@ excluded.threat_types) end
      ), queued as (
        insert into outbox (kind, subject_id, organization_id, lane, due_at)
        select distinct on (id) 'threat-scan', id, organization_id,
          case when is_record then ${lanes.bulk} else lane end,
          now() + case when is_record then ${gatherMs} else 0 end * interval '1 millisecond'
        from wanted cross join lateral (select is_answered and types = '{}' as is_record) r
        where not is_settled or is_threat order by id, is_record, lane
        ${onEnqueuedAgain}
      )
      select encode(url_hash, 'hex') as "urlHash", threat_types as "threatTypes", fresh from known`,
    values: [
      destinations.map((destination) => destination.id),
      destinations.map((destination) => `\\x${destination.urlHash}`),
      destinations.map((destination) => destination.url),
      answerDueMs,
      destinations.map((destination) => destination.organizationId),
      destinations.map((destination) => destination.lane),
      destinations.map(({ threatTypes }) => threatTypes?.join(',') ?? null),
      destinations.map((destination) => destination.expiresAt),
    ],
  });
  const known = new Map(rows.map((row) => [row.urlHash, row]));
  if (destinations.some((destination) => isScanned(destination, known.get(destination.urlHash))))
    tx.wakeRelaysAfterCommit();
  return rows;
}

/** Whether `requestRows` has put a destination into the outbox; sometimes true although it has not. */
function isScanned({ threatTypes }: WantedVerdict, known: KnownVerdict | undefined): boolean {
  if (threatTypes === null && known?.fresh !== true) return true;
  return [threatTypes, known?.threatTypes].some((types) => (types?.length ?? 0) > 0);
}

/**
 * Stores answers, in the caller's transaction; an absent answer keeps an older verdict. @returns the changed verdicts; a first
 * verdict that is clean is no change.
 */
export async function storeRows(
  { kysely }: EntityManager,
  verdicts: readonly StoredVerdict[],
): Promise<ChangedVerdict[]> {
  // Lock order: verdicts by their hashes (docs/locks.md).
  const locked = await kysely
    .selectFrom('ThreatVerdict')
    .select(['urlHash', 'threatTypes'])
    .where('urlHash', '=', anyHash(verdicts.map(({ urlHash }) => urlHash)))
    .orderBy('urlHash')
    .forUpdate()
    .execute();
  const answers = sql<{ hash: Buffer; types: string | null; until: Date }>`unnest(
    ${verdicts.map(({ urlHash }) => Buffer.from(urlHash, 'hex'))}::bytea[],
    ${verdicts.map(({ threatTypes }) => threatTypes?.join(',') ?? null)}::text[],
    ${verdicts.map(({ expiresAt }) => expiresAt)}::timestamptz[])`.as<'a'>(sql`a(hash, types, until)`);
  await kysely
    .updateTable('ThreatVerdict')
    .from(answers)
    .set(({ ref }) => ({
      threatTypes: sql<ThreatType[]>`coalesce(string_to_array(${ref('a.types')}, ','), ${ref('threatTypes')})`,
      scannedAt: sql<Date>`now()`,
      expiresAt: ref('a.until'),
      dueAt: null,
    }))
    .whereRef('urlHash', '=', 'a.hash')
    .execute();
  const before = new Map(locked.map(({ urlHash, threatTypes }) => [urlHash.toString('hex'), threatTypes]));
  return verdicts.flatMap(({ urlHash, threatTypes: now }) => {
    const earlier = before.get(urlHash);
    if (now === null || earlier === undefined || isSame(earlier ?? [], now)) return [];
    return [{ urlHash, before: earlier, now }];
  });
}

/** Whether two answers say the same; the scanner returns types in any order. */
function isSame(one: readonly ThreatType[], other: readonly ThreatType[]): boolean {
  return one.every((type) => other.includes(type)) && other.every((type) => one.includes(type));
}

/** Reads verdicts by hexadecimal hash; `fresh` is false while an answer is awaited. */
export async function findVerdicts(em: EntityManager, urlHashes: readonly string[]): Promise<ScanSubject[]> {
  const rows = await em.kysely
    .selectFrom('ThreatVerdict')
    .select(({ and, eb }) => [
      'urlHash',
      'url',
      'threatTypes',
      and([eb('dueAt', 'is', null), eb('scannedAt', 'is not', null), eb('expiresAt', '>', sql<Date>`now()`)])
        .$castTo<boolean>()
        .as('fresh'),
    ])
    .where('urlHash', '=', anyHash(urlHashes))
    .execute();
  return rows.map(({ urlHash, ...rest }) => ({ urlHash: urlHash.toString('hex'), ...rest }));
}

/**
 * Reads the web addresses of live links and domains that are to be scanned; deleted subjects, and destinations that are no web
 * address, are left out.
 */
// By hand: each batch of scans is looked up by key, one by one, against the plan of a table that was small (bench row C1).
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

/** Postpones by `dueInMs` when outstanding answers count as overdue: a scan of them is under way. */
export async function extendDue(
  { kysely }: EntityManager,
  urlHashes: readonly string[],
  dueInMs: number,
): Promise<void> {
  await updateAwaited(kysely, urlHashes)
    .set({ dueAt: sql<Date>`now() + ${dueInMs} * interval '1 millisecond'` })
    .execute();
}

/**
 * Postpones answers that the scanner could not give. The gap is as long as they have been awaited (30 s to 1 h), so that gaps
 * double without a counter. `atLeastMs` is the scanner's own hint.
 */
export async function postponeRows(
  { kysely }: EntityManager,
  urlHashes: readonly string[],
  atLeastMs: number,
): Promise<Date | undefined> {
  const rows = await updateAwaited(kysely, urlHashes)
    .set(({ ref }) => ({
      dueAt: sql<Date>`now() + greatest(${atLeastMs} * interval '1 millisecond',
        least(interval '1 hour', greatest(interval '30 seconds', now() - ${ref('requestedAt')})))`,
    }))
    .returning(({ ref }) => ref('dueAt').$notNull().as('dueAt'))
    .execute();
  return rows.map(({ dueAt }) => dueAt).toSorted((a, b) => a.getTime() - b.getTime())[0];
}

/** Kysely: updates those of some verdicts that are awaited; undefined: of all. Lock order: by their hashes (docs/locks.md). */
function updateAwaited(kysely: EntityManager['kysely'], urlHashes?: readonly string[]) {
  const locked = kysely
    .selectFrom('ThreatVerdict')
    .select('urlHash')
    .where('dueAt', 'is not', null)
    .$if(urlHashes !== undefined, (all) => all.where('urlHash', '=', anyHash(urlHashes!)))
    .orderBy('urlHash')
    .forUpdate();
  return kysely.updateTable('ThreatVerdict').where('urlHash', 'in', locked);
}

/**
 * Enqueues destinations whose verdicts are overdue, unless they wait or are parked in the outbox; verdicts that no live link
 * needs are no longer awaited.
 * @returns how many overdue verdicts were read; fewer than `limit`: all of them.
 */
export async function requeueOverdue(
  { kysely }: EntityManager,
  limit: number,
): Promise<{ seen: number; requeued: number }> {
  return kysely
    .with('overdue', (db) =>
      db
        .selectFrom('ThreatVerdict as v')
        .select('v.urlHash as hash')
        .where('v.dueAt', '<', sql<Date>`now()`)
        .where(({ exists, not, ref, selectFrom }) =>
          not(
            exists(
              selectFrom(leadingTo(kysely, ref('v.urlHash')).as('led'))
                .innerJoin('OutboxRow as o', 'o.subjectId', 'led.subjectId')
                .select('o.id')
                .where('o.kind', '=', 'threat-scan'),
            ),
          ),
        )
        .orderBy('v.dueAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .with('chosen', (db) =>
      db
        .selectFrom('overdue as o')
        .leftJoinLateral(
          ({ ref, selectFrom }) =>
            selectFrom(leadingTo(kysely, ref('o.hash')).as('led'))
              .select(['led.subjectId', 'led.organizationId'])
              .orderBy('led.subjectId', 'desc')
              .limit(1)
              .as('led'),
          (on) => on.onTrue(),
        )
        .select(['o.hash', 'led.subjectId', 'led.organizationId']),
    )
    .with('queued', (db) =>
      db
        .insertInto('OutboxRow')
        .columns(['kind', 'subjectId', 'organizationId', 'lane'])
        .expression(({ selectFrom }) =>
          selectFrom('chosen as c')
            .distinctOn('c.subjectId')
            .select([
              sql.lit('threat-scan').as('kind'),
              'c.subjectId',
              'c.organizationId',
              sql.lit(lanes.bulk).as('lane'),
            ])
            .where('c.subjectId', 'is not', null)
            .orderBy('c.subjectId'),
        )
        .onConflict((conflict) => conflict.columns(['kind', 'subjectId']).doNothing())
        .returning('id'),
    )
    .with('moved', (db) =>
      db
        .updateTable('ThreatVerdict')
        .from('chosen as c')
        .set(({ ref }) => ({
          dueAt: sql<Date | null>`case when ${ref('c.subjectId')} is not null then now() + ${answerDueMs} * interval '1 millisecond' end`,
        }))
        .whereRef('urlHash', '=', 'c.hash'),
    )
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('overdue')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .as('seen'),
      selectFrom('queued')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .as('requeued'),
    ])
    .executeTakeFirstOrThrow();
}

/** Makes every awaited verdict overdue, where Temporal has lost the scans that were to bring them. */
export async function expectNoAnswers({ kysely }: EntityManager): Promise<void> {
  await updateAwaited(kysely)
    .set({ dueAt: sql<Date>`now()` })
    .execute();
}
