import type { Sql } from '#db/connection/database.ts';
import type { ChangedLink } from './load.ts';
import { hashOf, type Received } from './receiver.ts';

/** The changes of a round that clients were answered. */
export interface RoundChanges {
  links: readonly ChangedLink[];
  /** Ids of imports. */
  imports: readonly string[];
  /** Ids of webhooks that their server turned off by a 410. */
  goneWebhooks: readonly string[];
}

/** An event of the round as the database has it. */
export interface StoredEvent {
  id: string;
  type: string;
  /** The link, import or webhook that the event is about. */
  subject: string;
  body: string;
}

/** The events in the database, compared with the changes that clients were answered. */
export interface EventAudit {
  /** Events of the round. */
  written: number;
  /** Types among them. */
  types: number;
  /** Changes and clicks without their event, counted by its type. */
  unwritten: Record<string, number>;
  /** Links without their `link.expired`, which `unwritten` counts too. */
  unreported: number;
  /** Events beyond the one that a change has. */
  doubled: number;
}

/** The requests to the webhooks, compared with the events in the database. */
export interface ReceivedAudit {
  /** Requests that were answered with a 2xx. */
  taken: number;
  /** Events that a webhook has not answered with a 2xx. */
  lost: number;
  /** Requests beyond the first for an event. */
  twice: number;
  /** Events whose body differed from the one in the database. */
  altered: number;
}

/** Reads the events of a round. */
export async function readRoundEvents(
  sql: Sql,
  { links, imports, goneWebhooks }: RoundChanges,
): Promise<StoredEvent[]> {
  const { rows } = await sql.query<StoredEvent>(
    `select id, type, body, coalesce(link_id::text, body::jsonb #>> '{data,import,id}', body::jsonb #>> '{data,webhook,id}') as subject
     from events where link_id = any($1::uuid[])
       or link_id is null and (body::jsonb #>> '{data,import,id}' = any($2) or body::jsonb #>> '{data,webhook,id}' = any($3))`,
    [links.map(({ id }) => id), imports, goneWebhooks],
  );
  return rows;
}

/** Compares the events with the changes that clients were answered. */
export function auditEvents(
  { links, imports, goneWebhooks }: RoundChanges,
  events: readonly StoredEvent[],
): EventAudit {
  const counts = new Map<string, number>();
  for (const { subject, type } of events) {
    const key = `${subject} ${type}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const audit = { written: events.length, types: new Set(events.map(({ type }) => type)).size };
  const unwritten: Record<string, number> = {};
  let [unreported, doubled] = [0, 0];
  const expect = (subject: string, type: string, least: number): void => {
    const missing = least - (counts.get(`${subject} ${type}`) ?? 0);
    if (missing > 0) unwritten[type] = (unwritten[type] ?? 0) + missing;
  };
  const expectOnce = (subject: string, type: string): void => {
    expect(subject, type, 1);
    doubled += Math.max(0, (counts.get(`${subject} ${type}`) ?? 0) - 1);
  };
  for (const { id, updates, visits, once } of links) {
    expect(id, 'link.updated', updates);
    expect(id, 'link.clicked', visits);
    for (const type of once) expectOnce(id, type);
    if (once.has('link.expired') && !counts.has(`${id} link.expired`)) unreported += 1;
  }
  for (const id of imports) expectOnce(id, 'import.completed');
  for (const id of goneWebhooks) expectOnce(id, 'webhook.disabled');
  return { ...audit, unwritten, unreported, doubled };
}

/** Compares the requests to each webhook with the events of the round. */
export function auditReceived(events: readonly StoredEvent[], webhooks: readonly Received[]): ReceivedAudit {
  const audit = { taken: 0, lost: 0, twice: 0, altered: 0 };
  for (const received of webhooks) {
    for (const { times } of received.values()) {
      audit.taken += times;
      audit.twice += times - 1;
    }
    for (const { id, body } of events) {
      const known = received.get(id);
      if (known === undefined) audit.lost += 1;
      else if (known.bodies.size !== 1 || !known.bodies.has(hashOf(body))) audit.altered += 1;
    }
  }
  return audit;
}
