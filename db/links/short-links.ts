import { LockMode } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Repository } from '#db/connection/repository.ts';
import { Destination, Rule, type ShortLink } from '#db/entities/links.ts';
import type { DestinationInsert, RuleInsert } from './insert.ts';
import { slugKeyOf } from './slug-key.ts';

/** What tells a link from the others: its external id, or its domain and the key of its slug (`slugKey`). */
export type LinkName = { externalId: string } | { domainId: string; slug: string };

/** Links of all organizations: `em.getRepository(ShortLink)`. Answers show `readLinks`, one statement (bench row `calls`). */
export class ShortLinkRepository extends Repository<ShortLink> {
  /**
   * Reads live links and locks them until the end of the transaction, in the order of their ids (docs/locks.md). They are of no
   * entity manager: `em.merge` takes one that is to be changed.
   */
  holdAll(ids: readonly string[]): Promise<ShortLink[]> {
    return this.find(
      { id: { $in: [...ids] } },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true },
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
    for (const rule of rules) this.em.create(Rule, { ...rule, link });
    for (const row of destinations) {
      this.em.create(Destination, { id: row.id, link, rule: row.ruleId, ...destinationData(row) });
    }
    await this.em.flush();
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
