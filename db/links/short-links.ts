import { type Loaded, LockMode, raw } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import { Repository } from '#db/connection/repository.ts';
import { Destination, Rule, type ShortLink } from '#db/entities/links/links.ts';
import type { DestinationInsert, RuleInsert } from './insert.ts';
import { slugKeyOf } from './slugs/slug-key.ts';

/** What tells a link from the others: its external id, or its domain and the key of its slug (`slugKey`). */
export type LinkName = { externalId: string } | { domainId: string; slug: string };

/** Kysely: a moment later than the last `updatedAt` of a link, since a version is identified by it. */
export const updatedLater = (now: Date) => sql<Date>`greatest(${now}, updated_at + interval '1 millisecond')`;

/** Links of all organizations: `em.getRepository(ShortLink)`. Answers show `readLinks`, one statement. */
export class ShortLinkRepository extends Repository<ShortLink> {
  /** Locks live links, of any organization, until the end of the transaction, in the order of their ids (docs/locks.md). */
  async holdAll(ids: readonly string[]): Promise<ShortLink[]> {
    if (ids.length === 0) return [];
    return this.find({ id: { $in: [...ids] } }, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /**
   * Opens the cap of a link that had none, in the transaction that sets it: nothing is granted until every edge has ingested its
   * clicks, since earlier clicks of the link count (3.9).
   */
  async openCap(linkId: string): Promise<void> {
    const { setAt } = await this.kysely
      .insertInto('LinkCap')
      .values({ linkId, setAt: sql`clock_timestamp()` })
      .onConflict((conflict) => conflict.column('linkId').doUpdateSet(({ ref }) => ({ setAt: ref('excluded.setAt') })))
      .returning('setAt')
      .executeTakeFirstOrThrow();
    await notify(this.em as EntityManager, channels.caps, setAt!.toISOString());
  }

  /**
   * Locks the counters of links, in the order of their ids, until the end of the transaction: no ingest counts a click
   * meanwhile, and the next one reads the caps that this transaction stores. A link without clicks gets a counter.
   * @returns clicks by link.
   */
  async holdCounts(linkIds: readonly string[]): Promise<Map<string, number>> {
    if (linkIds.length === 0) return new Map();
    const rows = await this.kysely
      .insertInto('LinkCounter')
      .values([...new Set(linkIds)].toSorted().map((linkId) => ({ linkId, clicks: 0 })))
      // Changes nothing: locks and returns a row that is there.
      .onConflict((conflict) =>
        conflict.column('linkId').doUpdateSet(({ ref }) => ({ linkId: ref('excluded.linkId') })),
      )
      .returning(['linkId', 'clicks'])
      .execute();
    return new Map(rows.map(({ linkId, clicks }) => [linkId, clicks]));
  }

  /**
   * Locks links whose end has passed since `link.expired` was last sent for them, the earliest end first, and reads their domains.
   * Links that another transaction has locked are left to the next call.
   * @param among only links with these ids; undefined: all.
   */
  async holdExpired({
    now,
    limit,
    among,
  }: {
    now: Date;
    limit: number;
    among?: readonly string[];
  }): Promise<Loaded<ShortLink, 'domain'>[]> {
    const isUnreported = { [raw((alias) => `${alias}.reported_expiry is distinct from ${alias}.expires_at`)]: [] };
    return this.find(
      { expiresAt: { $lte: now }, ...(among !== undefined && { id: { $in: [...among] } }), ...isUnreported },
      {
        orderBy: { expiresAt: 'asc' },
        limit,
        lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE,
        populate: ['domain'],
        // A join would lock the domains too.
        strategy: 'select-in',
        // Of a domain that is being deleted too.
        populateFilter: {},
      },
    );
  }

  /** Finds the live link with a name and locks it. @returns its id. */
  async holdNamed(organizationId: string, name: LinkName): Promise<string | undefined> {
    const links = this.kysely
      .selectFrom('ShortLink')
      .select('id')
      .where('organization', '=', organizationId)
      .where('deletedAt', 'is', null)
      .forUpdate();
    const named =
      'externalId' in name
        ? links.where('externalId', '=', name.externalId)
        : links.where('domain', '=', name.domainId).where(sql<string>`${sql.raw(slugKeyOf('slug'))}`, '=', name.slug);
    return (await named.executeTakeFirst())?.id;
  }

  /** Replaces all rules of a link, with their destinations. */
  async replaceRules(
    link: string,
    rules: readonly RuleInsert[],
    destinations: readonly DestinationInsert[],
  ): Promise<void> {
    // The foreign key removes their destinations.
    await this.em.nativeDelete(Rule, { link });
    if (rules.length === 0) return;
    await this.em.insertMany(
      Rule,
      rules.map((rule) => ({ ...rule, link })),
    );
    await this.em.insertMany(
      Destination,
      destinations.map((row) => ({ id: row.id, link, rule: row.ruleId, ...destinationData(row) })),
    );
  }

  /** Changes a destination; it keeps its id. */
  async setDestination(id: string, row: DestinationInsert): Promise<void> {
    await this.em.nativeUpdate(Destination, { id }, destinationData(row));
  }
}

function destinationData({ id: _id, ruleId: _ruleId, urlHash, deepLinkHashes, ...texts }: DestinationInsert) {
  return {
    ...texts,
    urlHash: urlHash === null ? null : Buffer.from(urlHash, 'hex'),
    deepLinkHashes: deepLinkHashes?.map((hash) => `\\x${hash}`) ?? null,
  };
}
