import { Context } from '@temporalio/activity';
import { figure, takeTurn } from '#activities/turn.ts';
import { removeWarehouse } from '#activities/warehouse/manifest.ts';
import { emptyDeletedFolder } from '#commands/labels/folders.ts';
import { emitDeletedLinks } from '#commands/links/delete.ts';
import type { Storage } from '#core/files/storage.ts';
import { waitsSignalName } from '#core/temporal/waits.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { File } from '#db/entities/files.ts';
import { Folder } from '#db/entities/links/links.ts';
import { HiddenLink } from '#db/entities/rollups.ts';
import { removeAllClicks, removeLinkClicks, rewriteRemoved } from '#db/clicks/clickhouse/removal.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { removeClicks, removeOrganizationClicks } from '#db/deletions/clicks.ts';
import {
  expireVerdicts,
  listDeletedLinks,
  removeChanges,
  removeDomain,
  removeLinks,
  removeTraces,
} from '#db/deletions/links.ts';
import { removeBelongings, removeOrganization, takeOverLinks } from '#db/deletions/organization.ts';
import { countRemovedLinks, type DeletionRow, endDeletion, firstId, touchDeletion } from '#db/deletions/deletions.ts';

/** The times and sizes are for tests. */
export interface DeleteDependencies {
  em: EntityManager;
  /** Holds clicks beside those of PostgreSQL, or in their place. */
  clickhouse?: ClickHouse | undefined;
  storage: Storage;
  /** How long after the deletion clicks of a link may be under way; and how long a verdict has been expired when it is removed: three quarters. */
  settleMs?: number;
  /** How long an activity goes on before it reports its progress to its workflow. */
  turnMs?: number;
  /** Links, clicks and other rows in one transaction. */
  linksAtOnce?: number;
  clicksAtOnce?: number;
  rowsAtOnce?: number;
  /** The least rest after a transaction; one that took longer is followed by a rest of a quarter of its time. */
  restMs?: number;
}

/** Which deletion; `purgeId` is its id. Inputs of workflows that run keep the older word. */
interface DeleteTarget {
  purgeId: string;
}

export interface RemovedSome {
  links: number;
  clicks: number;
  /** Other rows, and files. */
  rows: number;
  /** Links still to be removed. */
  linksLeft: number;
  more: boolean;
}

/**
 * Activities of deletions. Each may be repeated after any interruption, does nothing where the deletion is done, and makes
 * progress in each turn.
 */
export type DeleteActivities = ReturnType<typeof createDeleteActivities>;

const nothing: RemovedSome = { links: 0, clicks: 0, rows: 0, linksLeft: 0, more: false };
const linksPerBatch = 500;
const filesAtOnce = 200;
// A deletion has four fifths of the time of one database connection; redirects do not slow down by it (bench row D1).
const restFactor = 0.25;
// Longer than a transaction may wait for its next statement (DATABASE_IDLE_TRANSACTION_TIMEOUT_MS).
const leastSettleShare = 0.75;

export function createDeleteActivities({
  em: root,
  clickhouse,
  storage,
  settleMs = 60_000,
  turnMs = 20_000,
  // Measured (bench row `deletes`): a link takes half of the time that it takes in batches of 200, and a batch 100 ms.
  linksAtOnce = 1_000,
  clicksAtOnce = 10_000,
  rowsAtOnce = 1_000,
  restMs = 10,
}: DeleteDependencies) {
  return {
    /** Writes `link.deleted` for links that have no such event yet, or moves links out of a folder. `more`: others are left. */
    tellOfDeletes: ({ purgeId: deletionId }: DeleteTarget) =>
      inTurn(deletionId, { told: 0, more: false }, async (deletion, step, em) => {
        if (deletion.kind === 'organization') await step(() => takeOverLinks(em, deletionId));
        const tell = (em: EntityManager): Promise<number> => {
          const batch = { limit: linksPerBatch, now: new Date() };
          return deletion.kind === 'folder'
            ? emptyDeletedFolder(em, deletion, batch)
            : emitDeletedLinks(em, deletionId, batch);
        };
        let told = 0;
        for (;;) {
          const count = await step(() => em.transactional(tell));
          told += count;
          if (count < linksPerBatch) return { told, more: false };
          if (step.isOver()) return { told, more: true };
        }
      }),

    /** Gets ready for the removal. @returns how long clicks may still be under way. */
    settleDelete: ({ purgeId: deletionId }: DeleteTarget) =>
      inTurn(deletionId, { waitMs: 0 }, async ({ kind, deletedAt }, step, em) => {
        if (kind === 'domain') await step(() => expireVerdicts(em, [deletionId]));
        for (let after = firstId; ;) {
          const linkIds = await listDeletedLinks(em, deletionId, after, linksAtOnce);
          const last = linkIds.at(-1);
          if (last === undefined) break;
          await step(() => expireVerdicts(em, linkIds));
          after = last;
        }
        // Of an organization, links were deleted until a moment ago. Otherwise the work since the call counts as waiting, but a
        // call that took minutes has committed only now, and transactions that read a verdict as valid are to end.
        const sinceMs = kind === 'organization' ? 0 : Date.now() - deletedAt.getTime();
        const waitMs = Math.min(settleMs, Math.max(settleMs - sinceMs, settleMs * leastSettleShare));
        await touchDeletion(em, deletionId, waitMs);
        return { waitMs };
      }),

    /** Removes links with their clicks, for a turn. */
    removeDeletedLinks: ({ purgeId: deletionId }: DeleteTarget) =>
      inTurn(deletionId, nothing, async ({ kind, organizationId }, step, em) => {
        const done = { ...nothing, more: true };
        const goOn = async (): Promise<RemovedSome> => ({
          ...done,
          linksLeft: await em.count(HiddenLink, { purgeId: deletionId }),
        });
        for (;;) {
          const linkIds = await listDeletedLinks(em, deletionId, firstId, linksAtOnce);
          if (linkIds.length === 0) return { ...done, more: false };
          done.links += await step(() => em.transactional((em) => removeLinks(em, linkIds)));
          for (let count = 1; count > 0;) {
            count = await step(() => removeChanges(em, linkIds, rowsAtOnce));
            if (count > 0 && step.isOver()) return goOn();
          }
          // An organization's clicks are removed together.
          for (let count = kind === 'organization' ? 0 : 1; count > 0;) {
            count = await step(() => removeClicks(em, { organizationId, linkIds, limit: clicksAtOnce }));
            done.clicks += count;
            if (count > 0 && step.isOver()) return goOn();
          }
          if (clickhouse !== undefined && kind !== 'organization')
            done.clicks += await step(() => removeLinkClicks(clickhouse, { organizationId, linkIds }));
          await step(() =>
            em.transactional(async (em) => {
              await removeTraces(em, organizationId, linkIds);
              await countRemovedLinks(em, deletionId, linkIds.length);
            }),
          );
          if (step.isOver()) return goOn();
        }
      }),

    /** Removes the other rows and the files of a deleted organization, for a turn. */
    removeDeletedBelongings: ({ purgeId: deletionId }: DeleteTarget) =>
      inTurn(deletionId, nothing, async (_deletion, step, em) => {
        const done = { ...nothing, more: true };
        const run = async (key: 'clicks' | 'rows', remove: () => Promise<number>): Promise<boolean> => {
          for (;;) {
            const count = await step(remove);
            done[key] += count;
            if (count === 0) return true;
            if (step.isOver()) return false;
          }
        };
        const isDone =
          (await run('clicks', () => removeOrganizationClicks(em, deletionId, clicksAtOnce))) &&
          (clickhouse === undefined || (await run('clicks', () => eraseClicks(clickhouse, deletionId)))) &&
          (await run('rows', () => removeBelongings(em, deletionId, rowsAtOnce))) &&
          (await run('rows', () => removeFiles(em, deletionId))) &&
          (await run('rows', () => removeWarehouse(storage, deletionId)));
        return { ...done, more: !isDone };
      }),

    /** Removes the row of the deleted thing itself. @returns false while another deletion has to end first. */
    finishDelete: ({ purgeId: deletionId }: DeleteTarget): Promise<boolean> =>
      inTurn(deletionId, true, async ({ kind }, _step, em) => {
        if (kind === 'organization') {
          if (await removeOrganization(em, deletionId)) return true;
          await takeOverLinks(em, deletionId);
          return false;
        }
        if (kind === 'domain' && !(await removeDomain(em, deletionId))) return false;
        if (kind === 'folder' && !(await em.getRepository(Folder).remove(deletionId))) return false;
        return endDeletion(em, deletionId);
      }),
  };

  /** Removes the clicks of an organization, from the disk too: it may have asked to be forgotten. */
  async function eraseClicks(store: ClickHouse, organizationId: string): Promise<number> {
    const removed = await removeAllClicks(store, organizationId);
    if (removed > 0) await rewriteRemoved(store);
    return removed;
  }

  async function removeFiles(em: EntityManager, organizationId: string): Promise<number> {
    const files = await em.find(
      File,
      { organization: organizationId },
      { fields: ['id', 'key'], orderBy: { id: 'asc' }, limit: filesAtOnce, filters: { live: false } },
    );
    for (const { id, key } of files) {
      Context.current().cancellationSignal.throwIfAborted();
      await storage.remove(key);
      await em.nativeDelete(File, { id }, { filters: { live: false } });
    }
    return files.length;
  }

  /**
   * Runs the work of one activity on a deletion that is not done, with heartbeats.
   * @param otherwise the result where the deletion is done.
   */
  async function inTurn<T>(
    deletionId: string,
    otherwise: T,
    work: (deletion: DeletionRow, step: Step, em: EntityManager) => Promise<T>,
  ): Promise<T> {
    const em = root.fork();
    const deletion = await touchDeletion(em, deletionId);
    if (deletion === undefined) return otherwise;
    const { client, info } = Context.current();
    const { workflowId, runId } = info.workflowExecution!;
    const onWaits = (waits: string | undefined): Promise<void> =>
      client.workflow.getHandle(workflowId, runId).signal(waitsSignalName, waits ?? null);
    return takeTurn({ turnMs, restMs, restFactor, sql: em, onWaits }, async (turn) => {
      const step = async <R>(batch: () => Promise<R>): Promise<R> => {
        const result = await turn.batch(batch);
        const touched = await touchDeletion(em, deletionId);
        if (touched !== undefined && touched.links > 0)
          turn.show(`${figure(touched.linksRemoved)} of ${figure(touched.links)} links removed`);
        await turn.rest();
        return result;
      };
      return work(deletion, Object.assign(step, { isOver: turn.isOver }), em);
    });
  }
}

/** Does a batch of work, and rests after it. */
interface Step {
  <T>(work: () => Promise<T>): Promise<T>;
  /** Whether the turn is over. */
  isOver(): boolean;
}
