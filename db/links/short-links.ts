import { sql, type SqlBool, type Updateable } from 'kysely';
import type { EventLink } from '#core/webhooks/events.ts';
import type { EntityManager, Tables } from '#db/connection/entity-manager.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import { Repository } from '#db/connection/repository.ts';
import { Destination, Rule, type ShortLink } from '#db/entities/links.ts';
import type { DestinationInsert, RuleInsert } from './insert.ts';
import { slugKeyOf } from './slug-key.ts';

/** What tells a link from the others: its external id, or its domain and the key of its slug (`slugKey`). */
export type LinkName = { externalId: string } | { domainId: string; slug: string };

/** A link that the transaction has locked. */
interface HeldLink {
  id: string;
  organizationId: string;
  domainId: string;
  slug: string;
  updatedAt: Date;
}

/** Kysely: a moment later than the last `updatedAt` of a link, since a version is identified by it. */
export const updatedLater = (now: Date) => sql<Date>`greatest(${now}, updated_at + interval '1 millisecond')`;

/** Links of all organizations: `em.getRepository(ShortLink)`. Answers show `readLinks`, one statement (bench row `calls`). */
export class ShortLinkRepository extends Repository<ShortLink> {
  /** Locks live links, of any organization, until the end of the transaction, in the order of their ids (docs/locks.md). */
  async holdAll(ids: readonly string[]): Promise<HeldLink[]> {
    if (ids.length === 0) return [];
    return this.kysely
      .selectFrom('ShortLink')
      .select(['id', 'organization as organizationId', 'domain as domainId', 'slug', 'updatedAt'])
      .where('id', 'in', ids)
      .where('deletedAt', 'is', null)
      .orderBy('id')
      .forUpdate()
      .execute();
  }

  /** Sets fields of a link, and moves `updatedAt` on. */
  // By Kysely: an entity costs half a millisecond more for each link (bench row `calls`).
  async change(id: string, fields: Updateable<Tables['ShortLink']>, now: Date): Promise<void> {
    await this.kysely
      .updateTable('ShortLink')
      .set({ ...fields, updatedAt: updatedLater(now) })
      .where('id', '=', id)
      .execute();
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
   * Takes links whose end has passed since `link.expired` was last sent for them, the earliest end first, and marks them as
   * sent. Links that another transaction has locked are left to the next call.
   * @param among only links with these ids; undefined: all.
   */
  async takeExpired({
    now,
    limit,
    among,
  }: {
    now: Date;
    limit: number;
    among?: readonly string[];
  }): Promise<(EventLink & { expiresAt: Date })[]> {
    let expired = this.kysely
      .selectFrom('ShortLink as l')
      .innerJoin('Domain as d', 'd.id', 'l.domain')
      .select(['l.id', 'l.organization as organizationId', 'l.slug', 'd.domain', 'l.expiresAt'])
      .where('l.deletedAt', 'is', null)
      .where('l.expiresAt', '<=', now)
      .where(sql<SqlBool>`l.reported_expiry is distinct from l.expires_at`)
      .orderBy('l.expiresAt')
      .limit(limit)
      .forUpdate('l')
      .skipLocked();
    if (among !== undefined) expired = expired.where('l.id', 'in', among);
    const links = await expired.execute();
    if (links.length === 0) return [];
    const ids = links.map(({ id }) => id);
    await this.kysely
      .updateTable('ShortLink')
      .set(({ ref }) => ({ reportedExpiry: ref('expiresAt') }))
      .where('id', 'in', ids)
      .execute();
    return links.map((link) => ({ ...link, expiresAt: link.expiresAt! }));
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
