import type { Sql } from '#db/connection/database.ts';
import type { ChangedLink } from './load.ts';
import { hashOf, type Received } from './receiver.ts';

/** The events in the database, compared with the changes that clients were answered. */
export interface EventAudit {
  /** Events of the round's links. */
  written: number;
  /** Changes and clicks without their event. */
  unwritten: number;
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

/** Compares the events with the changes that clients were answered. */
export async function auditEvents(sql: Sql, links: readonly ChangedLink[]): Promise<EventAudit> {
  const { rows } = await sql.query<{ id: string; type: string; count: number }>(
    `select link_id as id, type, count(*) as count from events where link_id = any($1::uuid[]) group by link_id, type`,
    [links.map(({ id }) => id)],
  );
  const counts = new Map(rows.map(({ id, type, count }) => [`${id} ${type}`, count]));
  let unwritten = 0;
  for (const { id, updates, visits } of links) {
    for (const [type, seen] of [['link.created', 1] as const, ['link.updated', updates], ['link.clicked', visits]]) {
      unwritten += Math.max(0, Number(seen) - (counts.get(`${id} ${type}`) ?? 0));
    }
  }
  return { written: rows.reduce((sum, { count }) => sum + count, 0), unwritten };
}

/** Compares the requests to each webhook with the events of the round's links. */
export async function auditReceived(
  sql: Sql,
  links: readonly ChangedLink[],
  webhooks: readonly Received[],
): Promise<ReceivedAudit> {
  const { rows } = await sql.query<{ id: string; body: string }>(
    'select id, body from events where link_id = any($1::uuid[])',
    [links.map(({ id }) => id)],
  );
  const audit = { taken: 0, lost: 0, twice: 0, altered: 0 };
  for (const received of webhooks) {
    for (const { times } of received.values()) {
      audit.taken += times;
      audit.twice += times - 1;
    }
    for (const { id, body } of rows) {
      const known = received.get(id);
      if (known === undefined) audit.lost += 1;
      else if (known.bodies.size !== 1 || !known.bodies.has(hashOf(body))) audit.altered += 1;
    }
  }
  return audit;
}
