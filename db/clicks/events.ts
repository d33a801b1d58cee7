import { type ClickColumn, clickColumns, readCopyField } from '#core/clicks/click.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import type { Site } from '#core/links/site.ts';
import {
  type CappedLink,
  clickedFields,
  createCappedEvent,
  type EventLink,
  type EventType,
} from '#core/webhooks/events.ts';
import { type Clicks, linesInTurns } from './lines.ts';
import type { Sql } from '#db/connection/database.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';

/**
 * Class of the advisory locks that transactions hold while they write events of clicks; the second key is the second of their
 * begin, counted from `clickEventsLockEpochS`. `listEvents` shows no event that happened later.
 */
export const clickEventsLockClass = 0x65_76_74;
/** 2026-01-01 as a Unix time: the key of a lock has 31 bits. */
export const clickEventsLockEpochS = 1_767_225_600;
/** SQL: takes that lock in a transaction that has just begun. */
export const lockClickEvents = `select pg_advisory_xact_lock_shared(${clickEventsLockClass},
  greatest(0, floor(extract(epoch from now())) - ${clickEventsLockEpochS})::int)`;

const type: EventType = 'link.clicked';

/**
 * Writes `link.clicked` for every click of organizations that subscribe to it, in the transaction that inserts the clicks
 * (6.9). An event has its click's id. Subscriptions of webhooks that are off count too: they can recover the events later
 * (6.5).
 * @param organizations ids of the clicked links' organizations.
 */
export async function writeClickEvents(
  tx: Sql,
  clicks: Clicks,
  organizations: readonly string[],
  site: Pick<Site, 'originUrl'>,
): Promise<void> {
  const subscribers = await readSubscribers(tx, organizations);
  if (subscribers.length === 0) return;
  const links = await readLinks(tx, clicks, subscribers);
  const createdAt = new Date();
  const { bytes } = clicks;
  for await (const lines of linesInTurns(bytes)) {
    const events = lines.flatMap(([start, end]) => {
      const fields = bytes.toString('utf8', start, end - 1).split('\t');
      const link = links.get(fieldOf(fields, 'link_id')!);
      if (link === undefined) return [];
      const id = fieldOf(fields, 'id')!;
      const body = JSON.stringify({ id, type, createdAt, data: dataOf(fields, link, site) });
      return [{ id, organizationId: link.organizationId, type, linkId: link.id, body, createdAt }];
    });
    await insertEvents(tx, events);
  }
}

/**
 * Writes `link.capped` for links whose counter has reached the cap by these clicks, in the transaction that counts them. The
 * statement comes after the one that has locked the counters: it reads the cap that a call stored meanwhile (`holdCounts`).
 */
export async function writeCapEvents(tx: Sql, { perLink }: Clicks, site: Pick<Site, 'originUrl'>): Promise<void> {
  const now = new Date();
  const links = await readCapped(tx, perLink);
  await insertEvents(
    tx,
    links.map((link) => createCappedEvent(link, site, now)),
  );
}

// By hand, every statement of this file: every ingest runs them, on the edge, which loads no ORM (bench row I1).

/** Reads links that had fewer clicks than their cap before these, and have not now. */
async function readCapped(tx: Sql, perLink: Clicks['perLink']): Promise<CappedLink[]> {
  const { rows } = await tx.query<CappedLink>({
    name: 'ingest-capped-links',
    // Every link with a cap has a row in link_caps: other links cost one look into its index.
    text: `select l.id, l.organization_id as "organizationId", l.slug, d.domain, l.max_clicks as "maxClicks", n.clicks
      from unnest($1::uuid[], $2::bigint[]) a (link_id, clicks)
      join link_caps c on c.link_id = a.link_id join short_links l on l.id = a.link_id join domains d on d.id = l.domain_id
      join link_counters n on n.link_id = a.link_id
      where n.clicks >= l.max_clicks and n.clicks - a.clicks < l.max_clicks and l.deleted_at is null`,
    values: [[...perLink.keys()], Array.from(perLink.values(), ({ clicks }) => clicks)],
  });
  return rows;
}

async function readSubscribers(tx: Sql, organizationIds: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'ingest-subscribers',
    text: `select distinct organization_id as id from webhooks
      where organization_id = any($1::uuid[]) and deleted_at is null and $2 = any(events)`,
    values: [organizationIds, type],
  });
  return rows.map(({ id }) => id);
}

async function readLinks(
  tx: Sql,
  { perLink }: Clicks,
  organizationIds: readonly string[],
): Promise<Map<string, EventLink>> {
  const { rows } = await tx.query<EventLink>({
    name: 'ingest-clicked-links',
    text: `select l.id, l.organization_id as "organizationId", l.slug, d.domain
      from short_links l join domains d on d.id = l.domain_id
      where l.id = any($1::uuid[]) and l.organization_id = any($2::uuid[])`,
    values: [[...perLink.keys()], organizationIds],
  });
  return new Map(rows.map((link) => [link.id, link]));
}

function dataOf(fields: readonly string[], { id, slug, domain }: EventLink, site: Pick<Site, 'originUrl'>): object {
  const click: Record<string, unknown> = {};
  for (const [name, column] of shown) click[name] = fieldOf(fields, column);
  click.isQrCode = fieldOf(fields, 'is_qr_code') === 't';
  click.clickedAt = fieldOf(fields, 'clicked_at');
  return { link: { id, slug, shortUrl: site.originUrl(domain, slug) }, click };
}

const shown = clickedFields.map((name) => [name, snakeCase(name) as ClickColumn] as const);
const places = new Map(clickColumns.map((column, index) => [column, index]));

function fieldOf(fields: readonly string[], column: ClickColumn): string | null {
  return readCopyField(fields[places.get(column)!] ?? '\\N');
}
