import type { Actor } from '#core/audit/actor.ts';
import { AppError, asRefusal, orThrow } from '#core/errors/errors.ts';
import { plans } from '#core/organizations/plans.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockPart } from '#db/connection/locks.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { insertLinks, type LinkInsert } from '#db/links/insert.ts';
import { type ReadyLink, toLinkInsert } from '#commands/links/rows.ts';
import { createMissingTags } from '#commands/labels/tags.ts';

/** How many more links an organization may have, by its id; organizations without a limit are not in it. */
export type Quotas = Map<string, number>;

interface RowOptions {
  site: Site;
  now: Date;
  isBulk?: boolean;
}

const generatedSlugAttempts = 8;
// Building a statement keeps the event loop from other calls, some milliseconds with so many destinations.
const destinationsPerRound = 125;

export const slugInUse = (): AppError => new AppError('ALREADY_EXIST', 'This slug is in use.', { reason: 'slug' });

export const externalIdInUse = (): AppError =>
  new AppError('ALREADY_EXIST', 'This externalId is in use.', { reason: 'externalId' });

export function quotaReached({ plan }: Actor): AppError {
  return new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${plans[plan].shortLinks} short links.`);
}

/** Inserts links, most of them by one statement. @returns for each link its rows, or the error that refuses it. */
export async function insertInRounds(
  em: EntityManager,
  links: readonly ReadyLink[],
  quotas: Quotas,
  options: RowOptions,
): Promise<Map<ReadyLink, LinkInsert | AppError>> {
  await lockNewTags(em, links);
  const results = new Map<ReadyLink, LinkInsert | AppError>();
  for (let waiting = links; waiting.length > 0;) {
    const round = nextRound(waiting, quotas);
    waiting = waiting.slice(round.length);
    for (const [link, result] of await insertRound(em, round, quotas, options)) {
      results.set(link, result);
      const free = quotas.get(link.actor.organizationId);
      if (free !== undefined && !(result instanceof AppError)) quotas.set(link.actor.organizationId, free - 1);
    }
  }
  return results;
}

/** Lock order: the tags of an organization, then names of links, which other transactions may wait for. */
async function lockNewTags(em: EntityManager, links: readonly ReadyLink[]): Promise<void> {
  const organizationIds = new Set(links.filter(lacksTags).map(({ actor }) => actor.organizationId));
  for (const organizationId of [...organizationIds].toSorted()) await lockPart(em, 'tags', organizationId);
}

function lacksTags({ references, tagIdsByKey }: ReadyLink): boolean {
  return references.tagKeys.some((key) => !tagIdsByKey.has(key));
}

/**
 * The first links that can be inserted together: none needs what an earlier one may yet leave free. That is its slug, its external
 * id, a place in the plan, and new tags, which are created only for a link that is made. Their destinations are bounded.
 */
function nextRound(waiting: readonly ReadyLink[], quotas: Quotas): readonly ReadyLink[] {
  const claimed = new Set<string>();
  const free = new Map(quotas);
  let destinations = 0;
  for (const [index, link] of waiting.entries()) {
    const { organizationId } = link.actor;
    const names = namesOf(link);
    const waits = lacksTags(link) || free.get(organizationId) === 0 || names.some((name) => claimed.has(name));
    destinations += 1 + (link.draft.rules?.length ?? 0);
    if (index > 0 && (waits || destinations > destinationsPerRound)) return waiting.slice(0, index);
    if (lacksTags(link) || free.get(organizationId) === 0) return [link];
    for (const name of names) claimed.add(name);
    if (free.has(organizationId)) free.set(organizationId, free.get(organizationId)! - 1);
  }
  return waiting;
}

function namesOf({ actor, draft, references }: ReadyLink): string[] {
  const names: string[] = [];
  if (draft.slug !== undefined) names.push(`${references.domain.id}/${slugKey(draft.slug)}`);
  if (typeof draft.externalId === 'string') names.push(`${actor.organizationId} ${draft.externalId}`);
  return names;
}

async function insertRound(
  em: EntityManager,
  round: readonly ReadyLink[],
  quotas: Quotas,
  options: RowOptions,
): Promise<Map<ReadyLink, LinkInsert | AppError>> {
  const [first] = round;
  if (quotas.get(first!.actor.organizationId) === 0) return new Map([[first!, quotaReached(first!.actor)]]);
  if (lacksTags(first!)) return new Map([[first!, await insertWithTags(em, first!, options)]]);
  return insertTogether(em, round, options);
}

/** Inserts a link and its missing tags; where the link fails, the tags are rolled back with it. */
async function insertWithTags(em: EntityManager, link: ReadyLink, options: RowOptions): Promise<LinkInsert | AppError> {
  try {
    return await withSavepoint(em, async () => {
      const added = await createMissingTags(em, link.actor, link.draft.tags ?? [], link.tagIdsByKey);
      const tagged = { ...link, tagIdsByKey: new Map([...link.tagIdsByKey, ...added]) };
      const result = orThrow((await insertTogether(em, [tagged], options)).get(tagged)!);
      for (const [key, id] of added) link.tagIdsByKey.set(key, id);
      return result;
    });
  } catch (error) {
    return asRefusal(error);
  }
}

/** Inserts links by one statement; a generated slug that is taken is replaced by a longer one, up to eight times. */
async function insertTogether(
  em: EntityManager,
  links: readonly ReadyLink[],
  options: RowOptions,
): Promise<Map<ReadyLink, LinkInsert | AppError>> {
  const results = new Map<ReadyLink, LinkInsert | AppError>();
  let rest = links;
  for (let attempt = 0; rest.length > 0 && attempt < generatedSlugAttempts; attempt += 1) {
    const inserts = new Map(rest.map((link) => [link, toLinkInsert(link, attempt, options)]));
    const ids = await insertLinks(em, [...inserts.values()]);
    for (const [link, insert] of inserts) if (ids.has(insert.id)) results.set(link, insert);
    rest = rest.filter((link) => !results.has(link));
    const taken = await readTakenExternalIds(em, rest);
    for (const link of rest) {
      if (taken.has(link)) results.set(link, externalIdInUse());
      else if (link.draft.slug !== undefined) results.set(link, slugInUse());
    }
    rest = rest.filter((link) => !results.has(link));
  }
  for (const link of rest) results.set(link, new AppError('INTERNAL_SERVER_ERROR'));
  return results;
}

/** Finds which refused links have an external id that another live link of the organization has. */
async function readTakenExternalIds(em: EntityManager, links: readonly ReadyLink[]): Promise<Set<ReadyLink>> {
  const named = links.filter(({ draft }) => typeof draft.externalId === 'string');
  if (named.length === 0) return new Set();
  const taken = await em.kysely
    .selectFrom('ShortLink as l')
    .select(['l.organization', 'l.externalId'])
    .where(({ eb, or }) =>
      or(
        named.map(({ actor, draft }) =>
          eb.and({ 'l.organization': actor.organizationId, 'l.externalId': draft.externalId! }),
        ),
      ),
    )
    .where('l.deletedAt', 'is', null)
    .execute();
  const isTaken = ({ actor, draft }: ReadyLink): boolean =>
    taken.some((row) => row.organization === actor.organizationId && row.externalId === draft.externalId);
  return new Set(named.filter(isTaken));
}
