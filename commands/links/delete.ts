import type { Actor } from '#core/audit/actor.ts';
import { reachesLink } from '#core/organizations/reach.ts';
import { AppError } from '#core/errors/errors.ts';
import { createEvent } from '#core/webhooks/events.ts';
import { type Precondition, requireVersion } from '#core/http/version.ts';
import type { Transaction } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { readLinks } from '#db/links/view.ts';
import { notifyLinks } from '#db/notifications/notify.ts';
import { takeUnreportedLinks, type UnreportedLink } from '#db/deletions/links.ts';
import { insertDeletion, lastId } from '#db/deletions/deletions.ts';
import { hideClicks } from '#db/stats/rollups.ts';
import { recordOfLinks } from '#commands/activity.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';

type DeleteLinkResult = { id: string } | AppError;

/**
 * Deletes links as `tombstoneLinks` does, and keeps one activity for all of them.
 * @returns one result an id, in their order; a repeated id is unknown the second time.
 */
export async function deleteLinks(
  em: EntityManager,
  actor: Actor,
  ids: readonly string[],
  options: { now: Date; ifMatch?: Precondition | undefined },
): Promise<DeleteLinkResult[]> {
  const { results, removed } = await tombstoneLinks(em, actor, ids, options);
  await recordOfLinks(em, actor, 'shortLink.deleted', removed, options.now);
  return results;
}

/** The links that an actor reaches, and those of other organizations, which are refused. */
async function withinReach(
  em: EntityManager,
  actor: Pick<Actor, 'organizationId' | 'reach'>,
  links: readonly ShortLink[],
): Promise<readonly ShortLink[]> {
  if (actor.reach === undefined) return links;
  const views = await readLinks(
    em,
    links.map(({ id }) => id),
  );
  const reached = new Set(views.filter((view) => reachesLink(actor, view)).map(({ id }) => id));
  return links.filter(({ id, organization }) => organization.id !== actor.organizationId || reached.has(id));
}

interface TombstonedLinks {
  /** One an id, in their order; a repeated id is unknown the second time. */
  results: DeleteLinkResult[];
  /** The links that are gone, each once. */
  removed: readonly { id: string; slug: string }[];
}

/**
 * Marks links as deleted, 1 to 500 at once, each by itself: gone at once from lists, statistics and the edge, their names free. One
 * workflow removes their rows.
 */
export async function tombstoneLinks(
  em: EntityManager,
  actor: Pick<Actor, 'organizationId' | 'reach'>,
  ids: readonly string[],
  { now, ifMatch }: { now: Date; ifMatch?: Precondition | undefined },
): Promise<TombstonedLinks> {
  const held = await em.getRepository(ShortLink).holdAll(ids);
  const links = await withinReach(em, actor, held);
  const owners = new Map(links.map(({ id, organization }) => [id, organization.id]));
  if (ifMatch !== undefined) {
    for (const link of await readLinks(em, ids))
      if (owners.get(link.id) === actor.organizationId) requireVersion(ifMatch, link);
  }
  const results = ids.map((id, index): DeleteLinkResult => {
    const owner = owners.get(id);
    if (owner !== undefined && owner !== actor.organizationId) return new AppError('FORBIDDEN');
    if (owner !== undefined && ids.indexOf(id) === index) return { id };
    return new AppError('NOT_FOUND', 'This short link does not exist.');
  });
  const owned = results.flatMap((result) => (result instanceof AppError ? [] : result.id));
  const [deletionId] = owned;
  if (deletionId === undefined) return { results, removed: [] };
  const deleted = links.filter(({ organization }) => organization.id === actor.organizationId);
  for (const link of deleted) link.delete(now);
  await em.flush();
  await hideClicks(em, owned, deletionId);
  await insertDeletion(em, {
    id: deletionId,
    kind: 'links',
    organizationId: actor.organizationId,
    links: owned.length,
    deletedAt: now,
    toldTo: lastId,
  });
  await tell(
    em,
    deleted.map(({ id, slug }) => ({ id, slug, organizationId: actor.organizationId, deletedAt: now })),
    now,
  );
  await notifyLinks(
    em,
    deleted.map(({ domain, slug }) => ({ domainId: domain.id, slug })),
  );
  return { results, removed: deleted };
}

/**
 * Writes `link.deleted` for the next links of a deleted domain.
 * @returns how many; fewer than `limit`: these were the last.
 */
export async function emitDeletedLinks(
  em: EntityManager,
  deletionId: string,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  const links = await takeUnreportedLinks(em, deletionId, limit);
  await tell(em, links, now);
  return links.length;
}

async function tell(tx: Transaction, links: readonly UnreportedLink[], now: Date): Promise<void> {
  const events = links.map(({ id, slug, organizationId, deletedAt }) => {
    const data = { link: { id, slug, deletedAt: deletedAt.toISOString() } };
    return createEvent('link.deleted', { organizationId, linkId: id, now, data });
  });
  await insertEvents(tx, events);
}
