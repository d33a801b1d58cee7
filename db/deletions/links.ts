import { unlessReferenced } from '#db/connection/errors.ts';
import { sql } from 'kysely';
import { anyId } from '#db/any-of.ts';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { LinkPasswordFailures } from '#db/entities/calls.ts';
import { LinkCap, LinkCounter } from '#db/entities/clicks.ts';
import { Deletion } from '#db/entities/installation.ts';
import { LinkReport } from '#db/entities/links/link-records.ts';
import { LinkTag, MetaTags, Rule } from '#db/entities/links/links.ts';
import { HiddenLink } from '#db/entities/rollups.ts';
import { leadingTo } from '#db/threats/leading-to.ts';

// A hundred thousand links take about a second (bench row D1); a domain may have many more.
const inLongerTime = { query_timeout: 300_000 };

/**
 * Deletes all live links of a domain or an organization by tombstone, and hides their clicks from statistics: their names are
 * free at once.
 * @returns how many.
 */
// By hand: each statement changes all links of a domain, a hundred thousand and more (bench row `deletes`).
export async function tombstoneLinksOf(
  tx: Sql,
  owner: 'domain_id' | 'organization_id',
  id: string,
  { deletionId, now }: { deletionId: string; now: Date },
): Promise<number> {
  const live = `${owner} = $1 and deleted_at is null`;
  // Lock order: links by id (docs/locks.md).
  const { rows: held } = await tx.query<{ links: number }>({
    text: `select count(*)::int as links from (select 1 from short_links where ${live} order by id for update) held`,
    values: [id],
    ...inLongerTime,
  });
  // A call's second pass rarely finds a link; the change would read all links of the first one again.
  if (held[0]?.links === 0) return 0;
  const { rowCount } = await tx.query({
    // Without a creator a link's new version needs no entry in that index, a sixth of the time. Its folder it keeps: webhooks of the
    // folder are sent `link.deleted` later.
    text: `with gone as (
        update short_links set deleted_at = $3, created_by = null where ${live} returning id, organization_id)
      insert into hidden_links (organization_id, link_id, purge_id) select organization_id, id, $2 from gone`,
    values: [id, deletionId, now],
    ...inLongerTime,
  });
  return rowCount ?? 0;
}

/**
 * Takes the next links of a deletion, in the order of their ids, to write `link.deleted` for them; the same transaction writes
 * the events, so that each link gets one.
 */
export async function takeUnreportedLinks(em: EntityManager, deletionId: string, limit: number) {
  const deletion = await em.kysely
    .selectFrom('Deletion')
    .select('toldTo')
    .where('id', '=', deletionId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (deletion === undefined) return [];
  const ids = await listDeletedLinks(em, deletionId, deletion.toldTo, limit);
  const last = ids.at(-1);
  if (last === undefined) return [];
  await em.nativeUpdate(Deletion, { id: deletionId }, { toldTo: last });
  return em.kysely
    .selectFrom('ShortLink as l')
    .select(['l.id', 'l.organization as organizationId', 'l.slug'])
    .select((eb) => eb.ref('l.deletedAt').$notNull().as('deletedAt'))
    .where('l.id', 'in', ids)
    .orderBy('l.id')
    .execute();
}

/** A deleted link without `link.deleted`. */
export type UnreportedLink = Awaited<ReturnType<typeof takeUnreportedLinks>>[number];

/** Lists links of a deletion that are still to be removed, the first `limit` after an id. */
export async function listDeletedLinks(
  em: EntityManager,
  deletionId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await em.kysely
    .selectFrom('HiddenLink')
    .select('linkId')
    .where('purgeId', '=', deletionId)
    .where('linkId', '>', after)
    .orderBy('linkId')
    .limit(limit)
    .execute();
  return rows.map(({ linkId }) => linkId);
}

/**
 * Expires verdicts of deleted links and domains that no live one needs. A transaction that has read one as fresh, and creates a
 * link to its URL, commits long before verdicts are removed: the removal then finds the link.
 * @param ids of links, or of a domain.
 */
export async function expireVerdicts({ kysely }: EntityManager, ids: readonly string[]): Promise<void> {
  const destinations = kysely.selectFrom('Destination').where('link', '=', anyId(ids));
  await kysely
    .with(
      (cte) => cte('led').materialized(),
      (db) =>
        destinations
          .select(({ ref }) => ref('urlHash').$notNull().as('hash'))
          .where('urlHash', 'is not', null)
          .union(destinations.select(({ ref }) => sql<Buffer>`unnest(${ref('deepLinkHashes')})`.as('hash')))
          .union(
            db
              .selectFrom('ShortLink')
              .select(({ ref }) => sql<Buffer>`hash_of_url(${ref('expiredUrl')})`.as('hash'))
              .where('id', '=', anyId(ids))
              .where('expiredUrl', 'is not', null),
          )
          .union(
            db
              .selectFrom('Domain')
              .select(({ ref }) => sql<Buffer>`hash_of_url(${ref('fallbackUrl')})`.as('hash'))
              .where('id', '=', anyId(ids))
              .where('fallbackUrl', 'is not', null),
          ),
    )
    .with('unused', (db) =>
      db
        .selectFrom('ThreatVerdict as v')
        .select('v.urlHash as hash')
        .where('v.urlHash', 'in', db.selectFrom('led').select('led.hash'))
        .where('v.expiresAt', '>', sql<Date>`now()`)
        .where(({ exists, not, ref }) => not(exists(leadingTo(kysely, ref('v.urlHash')))))
        .orderBy('v.urlHash')
        .forUpdate(),
    )
    .updateTable('ThreatVerdict')
    .from('unused as u')
    .set({ expiresAt: sql<Date>`now()` })
    .whereRef('urlHash', '=', 'u.hash')
    .execute();
}

/** Removes deleted links with their child rows, except clicks and counters. Safe to repeat. @returns how many. */
export async function removeLinks(em: EntityManager, linkIds: readonly string[]): Promise<number> {
  const destinations = await em.kysely
    .deleteFrom('Destination')
    .where('link', 'in', linkIds)
    .returning(({ ref }) =>
      sql<(Buffer | null)[]>`${ref('urlHash')} || coalesce(${ref('deepLinkHashes')}, '{}')`.as('hashes'),
    )
    .execute();
  const ofLinks = { link: { $in: [...linkIds] } };
  await em.nativeDelete(Rule, ofLinks);
  await em.nativeDelete(MetaTags, ofLinks);
  await em.nativeDelete(LinkTag, ofLinks);
  const links = await em.kysely
    .deleteFrom('ShortLink')
    .where('id', 'in', linkIds)
    .returning(({ ref }) => ['qrCode', sql<Buffer | null>`hash_of_url(${ref('expiredUrl')})`.as('hash')])
    .execute();
  await removeQrCodes(
    em,
    links.flatMap(({ qrCode }) => qrCode ?? []),
  );
  const hashes = [...destinations.flatMap(({ hashes }) => hashes), ...links.map(({ hash }) => hash)];
  await removeVerdicts(
    em,
    hashes.flatMap((hash) => hash ?? []),
  );
  return links.length;
}

/** Removes some changes of the histories of removed links. @returns how many; none: there are no more. */
export async function removeChanges(em: EntityManager, linkIds: readonly string[], limit: number): Promise<number> {
  const { numDeletedRows } = await em.kysely
    .deleteFrom('LinkChange')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('linkId', 'number'),
        'in',
        selectFrom('LinkChange')
          .select(['linkId', 'number'])
          .where('linkId', 'in', linkIds)
          .limit(limit)
          .$asTuple('linkId', 'number'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Removes the counters of removed links, and last the marks that hide their clicks from statistics. */
export async function removeTraces(
  em: EntityManager,
  organizationId: string,
  linkIds: readonly string[],
): Promise<void> {
  const linkId = { $in: [...linkIds] };
  await em.nativeDelete(LinkCounter, { linkId });
  await em.nativeDelete(LinkCap, { linkId });
  await em.nativeDelete(LinkReport, { linkId });
  await em.nativeDelete(LinkPasswordFailures, { linkId });
  await em.nativeDelete(HiddenLink, { organizationId, linkId });
}

/** Removes QR codes that neither a link nor a domain refers to. */
export async function removeQrCodes(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await em.kysely
    .deleteFrom('QrCode as q')
    .where('q.id', 'in', ids)
    .where(sql<boolean>`not exists (select from short_links l where l.qr_code_id = q.id)`)
    .where(sql<boolean>`not exists (select from domains d where d.qr_code_id = q.id)`)
    .execute();
}

/** Removes expired verdicts that no scan is under way for, and that no link or domain needs. */
export async function removeVerdicts({ kysely }: EntityManager, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  await kysely
    .deleteFrom('ThreatVerdict')
    .where('urlHash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .where('dueAt', 'is', null)
    .where(({ ref }) => sql<boolean>`coalesce(${ref('expiresAt')} <= now(), true)`)
    .where(({ ref }) => {
      const hash = ref('ThreatVerdict.urlHash');
      // Of deleted links too.
      return sql<boolean>`not exists (select from destinations where url_hash = ${hash})
        and not exists (select from destinations where deep_link_hashes is not null and deep_link_hashes @> array[${hash}])`;
    })
    .where(({ exists, not, ref }) => not(exists(leadingTo(kysely, ref('ThreatVerdict.urlHash')))))
    .execute();
}

/** Removes a deleted domain with its QR template. @returns false while rows of its links exist. */
export function removeDomain(em: EntityManager, id: string): Promise<boolean> {
  const removal = em.transactional(async (em) => {
    const gone = await em.kysely
      .deleteFrom('Domain')
      .where('id', '=', id)
      .where('deletedAt', 'is not', null)
      .returning(['qrCode', ({ ref }) => sql<Buffer | null>`hash_of_url(${ref('fallbackUrl')})`.as('hash')])
      .executeTakeFirst();
    await removeQrCodes(em, [gone?.qrCode ?? []].flat());
    await removeVerdicts(em, [gone?.hash ?? []].flat());
  });
  // Links that were deleted before the domain have deletions of their own.
  return unlessReferenced(removal);
}
