import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { createEvent } from '../core/events.ts';
import type { Sql } from '../db/database.ts';
import { lockLinks, tombstoneLinks } from '../db/link-update.ts';
import { notifyLinks } from '../db/notify.ts';
import { hideClicks } from '../db/rollups.ts';
import { emit } from './events.ts';

/** What became of one id. */
export type DeleteLinkResult = { ok: true; id: string } | { ok: false; error: AppError };

/**
 * Deletes links, 1 to 500 at once, each by itself: gone at once from lists, statistics and the edge, their names free.
 * @returns one result an id, in their order; an id that was named before is unknown.
 */
export async function deleteLinks(
  tx: Sql,
  actor: Actor,
  ids: readonly string[],
  { now }: { now: Date },
): Promise<DeleteLinkResult[]> {
  await lockLinks(tx, ids);
  const { rows } = await tx.query<{ id: string; organizationId: string }>(
    'select id, organization_id as "organizationId" from short_links where id = any($1::uuid[]) and deleted_at is null',
    [ids],
  );
  const owners = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
  const results = ids.map((id, index): DeleteLinkResult => {
    const owner = ids.indexOf(id) === index ? owners.get(id) : undefined;
    if (owner === undefined) return { ok: false, error: new AppError('NOT_FOUND', 'This short link does not exist.') };
    if (owner !== actor.organizationId) return { ok: false, error: new AppError('FORBIDDEN') };
    return { ok: true, id };
  });
  const deleted = await tombstoneLinks(
    tx,
    results.flatMap((result) => (result.ok ? result.id : [])),
    now,
  );
  await hideClicks(
    tx,
    deleted.map(({ id }) => id),
  );
  const events = deleted.map(({ id, slug, organizationId }) => {
    const data = { link: { id, slug, deletedAt: now.toISOString() } };
    return createEvent('link.deleted', { organizationId, linkId: id, now, data });
  });
  await emit(tx, events);
  await notifyLinks(tx, deleted);
  return results;
}
