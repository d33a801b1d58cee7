import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockPart } from '#db/connection/locks.ts';
import { Import } from '#db/entities/imports.ts';
import { keptMs, holdImportedLinks, listRowsToUndo } from '#db/imports/imports.ts';
import { enqueue } from '#db/outbox.ts';
import { silenceMs } from '#db/outbox-rows.ts';
import { recordActivity } from '#commands/activity.ts';
import { tombstoneLinks } from '#commands/links/delete.ts';

/** Progress of an undo: `imported` links were made, `left` of them are still to be looked at. */
export interface UndoProgress {
  state: Import['state'];
  imported: number;
  removed: number;
  kept: number;
  left: number;
  /** Nothing was done: it goes on when no other import of the organization runs. */
  isWaiting?: boolean;
}

/**
 * Begins to remove the links that an import of the actor's organization made; a workflow removes them. A second undo changes
 * nothing, unless it includes the changed links that an earlier one keeps.
 * @param includeChanged whether links go that were clicked or edited since.
 * @throws AppError NOT_FOUND, also where its rows are about to be forgotten; FORBIDDEN for another organization's; CONFLICT while
 * the import runs or waits.
 */
export async function undoImport(
  em: EntityManager,
  actor: Actor,
  importId: string,
  { includeChanged, now }: { includeChanged: boolean; now: Date },
): Promise<Import> {
  requireOwn(await em.findOne(Import, { id: importId }), actor, 'import');
  const held = requireOwn(await em.getRepository(Import).hold(importId, 'no key update'), actor, 'import');
  // An import that begins in another transaction runs afterwards, and the undo waits for its end; or it waits for this undo.
  await lockPart(em, 'imports', actor.organizationId);
  if (!held.finishedAt) throw new AppError('CONFLICT', 'This import has not ended. Cancel it, then undo it.');
  if (held.finishedAt.getTime() < now.getTime() - keptMs)
    throw new AppError('NOT_FOUND', 'This import does not exist any more: imports are kept for 30 days.');
  if (held.beginUndo(includeChanged, new Date(Date.now() + silenceMs))) {
    await em.flush();
    await recordActivity(em, actor, { action: 'import.undone', subjectId: importId, name: null }, now);
    await enqueue(em, 'import', [importId]);
  }
  return held;
}

/**
 * Looks at the next links of an undo, `limit` at most, and deletes them as a call would, in the transaction that counts them:
 * after a crash the next call continues behind them. Without a link left the undo ends. It waits while another import of the organization
 * runs, whose rows may have been skipped for links that would go.
 * @returns its progress; undefined where there is no such import.
 */
export async function undoRows(
  em: EntityManager,
  importId: string,
  limit: number,
  now: Date,
): Promise<UndoProgress | undefined> {
  // The lock keeps other workers from the same links.
  const held = await em.getRepository(Import).hold(importId, 'no key update');
  if (held === null) return undefined;
  const isUndoing = held.state === 'undoing';
  const isWaiting = isUndoing && (await em.count(Import, { organization: held.organization, state: 'running' })) > 0;
  if (isWaiting) held.dueAt = new Date(Date.now() + silenceMs);
  else if (isUndoing) await undoNext(em, held, limit, now);
  const { state, imported, removed, kept, undoLeft } = held;
  return { state, imported, removed, kept, left: undoLeft ?? 0, ...(isWaiting && { isWaiting }) };
}

async function undoNext(em: EntityManager, held: Import, limit: number, now: Date): Promise<void> {
  const rows = await listRowsToUndo(em, held, limit);
  const last = rows.at(-1);
  if (last === undefined) {
    held.finishUndo(now);
    return;
  }
  const organizationId = held.organization.id;
  const ids = rows.map(({ linkId }) => linkId);
  const links = await holdImportedLinks(em, organizationId, ids);
  const going = links.filter(({ isChanged }) => held.undoIncludesChanged || !isChanged);
  const { removed } = await tombstoneLinks(
    em,
    { organizationId },
    going.map(({ id }) => id),
    { now },
  );
  held.countUndone(last.row, { rows: rows.length, removed: removed.length, kept: links.length - going.length });
  held.dueAt = new Date(Date.now() + silenceMs);
}
