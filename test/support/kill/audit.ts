import { hashOfUrl } from '#core/threats/url-hash.ts';
import type { Sql } from '#db/connection/database.ts';
import type { KnownCreate, KnownLink, Ledger } from './ledger.ts';
import { hashOf, type Received } from './receiver.ts';

/** A ledger's clicks as the database has them. */
export interface ClickAudit {
  /** Clicks stored. */
  stored: number;
  /** Redirects that clients saw, and that are not among the clicks, or not in the counters. */
  lost: number;
  /** Clicks beyond the possible visits, duplicate ids, and counts beyond the clicks. */
  twice: number;
}

/** Requested links as the database has them. */
export interface LinkAudit {
  /** Creates without a link, or with another link than the answer named. */
  lost: number;
  /** Links beyond one for each create. */
  twice: number;
  /** Destinations without their right verdict. */
  verdictsMissing: number;
}

/** Events in the database, compared with the changes that clients were answered, and requests to webhooks compared with them. */
export interface EventAudit {
  /** Events of the round, and types among them. */
  written: number;
  types: number;
  /** Changes and clicks without their event, counted by its type. */
  unwritten: Record<string, number>;
  /** Events beyond the one that a change has. */
  doubled: number;
  /** Requests that were answered with a 2xx, and those beyond the first for an event. */
  taken: number;
  takenTwice: number;
  /** Events that a webhook has not answered with a 2xx. */
  undelivered: number;
  /** Events whose body differed from the one in the database. */
  altered: number;
}

/** Compares clicks and counters of some links with what visitors saw. */
export async function auditClicks(
  sql: Sql,
  links: readonly Pick<KnownLink, 'id' | 'seen' | 'unsure'>[],
): Promise<ClickAudit> {
  const { rows } = await sql.query<{ id: string; stored: number; distinct: number; counted: number }>(
    `select known.id, clicks.stored, clicks."distinct", coalesce(counter.clicks, 0) as counted
     from unnest($1::uuid[]) as known (id)
     cross join lateral (
       select count(*) as stored, count(distinct c.id) as "distinct" from clicks c where c.link_id = known.id
     ) clicks
     left join link_counters counter on counter.link_id = known.id`,
    [links.map((link) => link.id)],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const audit = { stored: 0, lost: 0, twice: 0 };
  for (const link of links) {
    const { stored, distinct, counted } = found.get(link.id)!;
    audit.stored += stored;
    audit.lost += Math.max(0, link.seen - stored) + Math.max(0, stored - counted);
    audit.twice += stored - distinct + Math.max(0, stored - link.seen - link.unsure) + Math.max(0, counted - stored);
  }
  return audit;
}

/** Compares links and verdicts with the requests, but for those of links that were to be deleted. */
export async function auditLinks(
  sql: Sql,
  all: readonly (Pick<KnownCreate, 'url' | 'kind'> & { link?: { id: string } })[],
): Promise<LinkAudit> {
  const creates = all.filter(({ kind }) => kind !== 'doomed');
  const { rows } = await sql.query<{ url: string; ids: string[]; scanned: boolean; types: string | null }>(
    `select known.url, scanned_at is not null as scanned, array_to_string(v.threat_types, ',') as types,
       array(select l.id from destinations d join short_links l on l.id = d.link_id and l.deleted_at is null
         where d.url_hash = known.hash and d.rule_id is null) as ids
     from unnest($1::text[], $2::bytea[]) as known (url, hash) left join threat_verdicts v on v.url_hash = known.hash`,
    [creates.map((create) => create.url), creates.map((create) => hashOfUrl(create.url))],
  );
  const found = new Map(rows.map((row) => [row.url, row]));
  const audit = { lost: 0, twice: 0, verdictsMissing: 0 };
  for (const { url, link, kind } of creates) {
    const { ids, scanned, types } = found.get(url)!;
    if (link === undefined || !ids.includes(link.id)) audit.lost += 1;
    audit.twice += Math.max(0, ids.length - 1);
    if (!scanned || types !== (kind === 'flagged' ? 'MALWARE' : '')) audit.verdictsMissing += 1;
  }
  return audit;
}

/**
 * Compares the events of a round with the changes that clients were answered, and the requests to each webhook with the events.
 * @param goneWebhooks ids of webhooks that their server turned off by a 410.
 */
export async function auditEvents(
  sql: Sql,
  { links, imports }: Pick<Ledger, 'links' | 'imports'>,
  goneWebhooks: readonly string[],
  webhooks: readonly Received[],
): Promise<EventAudit> {
  const { rows: events } = await sql.query<{ id: string; type: string; subject: string; body: string }>(
    `select id, type, body, coalesce(link_id::text, body::jsonb #>> '{data,import,id}', body::jsonb #>> '{data,webhook,id}') as subject
     from events where link_id = any($1::uuid[])
       or link_id is null and (body::jsonb #>> '{data,import,id}' = any($2) or body::jsonb #>> '{data,webhook,id}' = any($3))`,
    [links.map(({ id }) => id), imports, goneWebhooks],
  );
  const counts = Map.groupBy(events, ({ subject, type }) => `${subject} ${type}`);
  const countOf = (subject: string, type: string): number => counts.get(`${subject} ${type}`)?.length ?? 0;
  const types = new Set(events.map(({ type }) => type)).size;
  const audit = { written: events.length, types, doubled: 0, taken: 0, takenTwice: 0, undelivered: 0, altered: 0 };
  const unwritten: Record<string, number> = {};
  const expectOf = (subject: string, type: string, least: number): void => {
    const missing = least - countOf(subject, type);
    if (missing > 0) unwritten[type] = (unwritten[type] ?? 0) + missing;
  };
  const expectOnce = (subject: string, type: string): void => {
    expectOf(subject, type, 1);
    audit.doubled += Math.max(0, countOf(subject, type) - 1);
  };
  for (const { id, updates, seen, once } of links) {
    expectOf(id, 'link.updated', updates);
    expectOf(id, 'link.clicked', seen);
    for (const type of once) expectOnce(id, type);
  }
  for (const id of imports) expectOnce(id, 'import.completed');
  for (const id of goneWebhooks) expectOnce(id, 'webhook.disabled');
  for (const received of webhooks) {
    for (const { times } of received.values()) {
      audit.taken += times;
      audit.takenTwice += times - 1;
    }
    for (const { id, body } of events) {
      const known = received.get(id);
      if (known === undefined) audit.undelivered += 1;
      else if (known.bodies.size !== 1 || !known.bodies.has(hashOf(body))) audit.altered += 1;
    }
  }
  return { ...audit, unwritten };
}
