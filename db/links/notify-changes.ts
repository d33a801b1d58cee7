import type { Sql } from '#db/connection/database.ts';
import { channels, type LinkChange, notify, notifyLinks } from '#db/connection/notify.ts';

/** Links of one domain that a statement changed; `slugs` is null where they are too many to be named. */
export interface ChangedLinks {
  domainId: string;
  slugs: string[] | null;
}

const maxNamed = 5_000;

/** SQL: gathers changed links, from rows with `domain_id` and `slug`, into `ChangedLinks`. */
export const gatherChanged = (rows: string): string => `
  select domain_id as "domainId", case when count(*) <= ${maxNamed} then array_agg(slug) end as slugs
  from ${rows} group by domain_id`;

/** Tells every edge process, with the commit, that links have changed. */
export async function notifyChanged(tx: Sql, changed: readonly ChangedLinks[]): Promise<void> {
  for (const { domainId, slugs } of changed) {
    if (slugs === null) await notifyDomain(tx, domainId);
    else
      await notifyLinks(
        tx,
        slugs.map((slug) => ({ domainId, slug })),
      );
  }
}

/** Tells every edge process, with the commit, that a domain has changed, with all that is on it. */
export async function notifyDomain(tx: Sql, domainId: string): Promise<void> {
  await notify(tx, channels.links, JSON.stringify({ domainId } satisfies LinkChange));
}
