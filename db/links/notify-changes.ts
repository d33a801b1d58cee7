import { sql } from 'kysely';
import type { Transaction } from '#db/connection/database.ts';
import { notifyDomain, notifyLinks } from '#db/notifications/notify.ts';

/** Changed links of one domain; `slugs` is null where there are too many to name. */
export interface ChangedLinks {
  domainId: string;
  slugs: string[] | null;
}

const maxSlugs = 5_000;

/** Kysely: the slugs of `ChangedLinks`, from rows of changed links that are grouped by domain. */
export const gatheredSlugs = sql<
  string[] | null
>`case when count(*) <= ${sql.lit(maxSlugs)} then array_agg(slug) end`.as('slugs');

/** Notifies all edges, with the commit, of changed links. */
export async function notifyChanged(tx: Transaction, changed: readonly ChangedLinks[]): Promise<void> {
  for (const { domainId, slugs } of changed) {
    if (slugs === null) await notifyDomain(tx, domainId);
    else
      await notifyLinks(
        tx,
        slugs.map((slug) => ({ domainId, slug })),
      );
  }
}
