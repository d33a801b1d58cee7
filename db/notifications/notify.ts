import type { Sql, Transaction } from '#db/connection/database.ts';

/**
 * The channels of LISTEN/NOTIFY and their payloads. A notification is a wake-up: a process that may have missed some reads the
 * rows again.
 */
export const channels = {
  /** A link or a domain changed: JSON `LinkChange`. */
  links: 'waymark_links',
  /** A link got its first cap: the moment, ISO 8601. Earlier clicks have to be counted. */
  caps: 'waymark_caps',
  /** Verdicts were stored: JSON object of URL hash (hex) to threat types. */
  verdicts: 'waymark_verdicts',
  /** A threat list was asked about: empty. Its prefixes, or the time of its next changes, are new. */
  threatLists: 'waymark_threat_lists',
  /** Rows were put into the outbox: empty. */
  outbox: 'waymark_outbox',
  /** Webhooks with new deliveries that a pump is sending to: their ids, separated by commas. */
  deliveries: 'waymark_deliveries',
  /** An edge is behind with its clicks: JSON `JournalLag`, every second. */
  journals: 'waymark_journals',
} as const;

export type Channel = (typeof channels)[keyof typeof channels];

/** What edges must read again: slugs of a domain, or (no slugs) the whole domain, its row included. */
export interface LinkChange {
  domainId: string;
  slugs?: string[];
}

export interface JournalLag {
  journalId: string;
  lagMs: number;
}

/** Sends one notification; inside a transaction PostgreSQL delivers it with the commit. Payloads stay below 8,000 bytes. */
export async function notify(sql: Sql, channel: Channel, payload = ''): Promise<void> {
  await sql.query({ name: 'notify', text: 'select pg_notify($1, $2)', values: [channel, payload] });
}

/** Notifies all edges, with the commit, of a change of a domain, or of more of its links than can be named. */
export async function notifyDomain(tx: Transaction, domainId: string): Promise<void> {
  await notifyChange(tx, { domainId });
}

async function notifyChange(tx: Transaction, change: LinkChange): Promise<void> {
  await notify(tx, channels.links, JSON.stringify(change));
}

// PostgreSQL refuses payloads of 8,000 bytes and more.
const maxSlugBytes = 7_000;

/** Notifies all edges, with the commit, of changed links: grouped by domain, in as many notifications as their size takes. */
export async function notifyLinks(
  tx: Transaction,
  links: readonly { domainId: string; slug: string }[],
): Promise<void> {
  for (const [domainId, changed] of Map.groupBy(links, (link) => link.domainId)) {
    let slugs: string[] = [];
    let bytes = 0;
    for (const { slug } of changed) {
      const size = Buffer.byteLength(JSON.stringify(slug)) + 1;
      if (bytes + size > maxSlugBytes) {
        await notifyChange(tx, { domainId, slugs });
        slugs = [];
        bytes = 0;
      }
      slugs.push(slug);
      bytes += size;
    }
    await notifyChange(tx, { domainId, slugs });
  }
}
