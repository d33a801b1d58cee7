import { figure, takeTurn } from '#activities/turn.ts';
import { type ImportProgress, importRowAlone, importRows } from '#commands/imports/imports.ts';
import { type UndoProgress, undoRows } from '#commands/imports/undo.ts';
import type { FindLocalAnswers } from '#commands/threats/local-answers.ts';
import { createSharedLimit } from '#core/limits/shared-limit.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Import } from '#db/entities/imports.ts';
import { isCalledByOthers } from '#db/rate-limits.ts';
import { linkTransaction } from '#commands/links/create/create.ts';
import { isDataRefused } from '#db/connection/errors.ts';

/** The times and sizes are for tests. */
export interface ImportDependencies {
  /** Each batch has a fork of it. */
  em: EntityManager;
  site: Site;
  findLocalAnswers: FindLocalAnswers;
  /** How long an activity goes on before it reports its progress to its workflow. */
  turnMs?: number;
  /** Rows in one transaction beside other organizations; alone up to ten times as many. */
  rowsAtOnce?: number;
  /**
   * The least rest after a transaction beside other organizations; one that took longer is followed by a rest four times as long
   * as itself.
   */
  restMs?: number;
  /** Whether other organizations use the installation now. */
  isBesideOthers?: (organizationId: string) => Promise<boolean>;
  /** Links in one transaction of an undo. */
  undoneAtOnce?: number;
}

/** Activities of imports. They may be repeated after any interruption: a row becomes a link once. */
export type ImportActivities = ReturnType<typeof createImportActivities>;

// Beside others an import has a fifth of the time of one database connection (bench row V1).
const restFactor = 4;
// Alone it does not rest, and large transactions save statements (bench row C2). A call that begins meanwhile competes with the
// rest of one transaction.
const aloneFactor = 10;
const aloneBatchMs = 100;
const lookEveryMs = 250;
// Transactions under way at once in this process; of one organization one.
const stepsAtOnce = 2;
// An undo has half of the time of one database connection, and leaves the rest to the deletions that it begins.
const undoRestFactor = 1;

export function createImportActivities({
  em,
  site,
  findLocalAnswers,
  turnMs = 20_000,
  rowsAtOnce = 50,
  restMs = 20,
  isBesideOthers = (organizationId) => isCalledByOthers(em.fork(), organizationId),
  // As many as a call deletes at once: a deletion each.
  undoneAtOnce = 500,
}: ImportDependencies) {
  // Bounds the load on the database however many files wait; organizations take turns.
  const gate = createSharedLimit({ atOnce: stepsAtOnce, ofOne: 1, waiting: Number.POSITIVE_INFINITY });
  const options = () => ({ site, now: new Date(), findLocalAnswers });
  const together = (importId: string, rows: number) =>
    em.transactional((em) => importRows(em, importId, rows, options()), linkTransaction);
  const alone = (importId: string) =>
    em.transactional((em) => importRowAlone(em, importId, options()), linkTransaction);

  /** Steps of one import: each makes some rows into links, in one transaction. */
  function createSteps(importId: string) {
    let size = rowsAtOnce;
    // Rows that the database refuses together go in small batches, then one by one, until the culprit is given up.
    let inSmallBatches = 0;
    let oneByOne = 0;

    async function tryTogether(isShared: boolean): Promise<ImportProgress | undefined> {
      const rows = isShared || inSmallBatches > 0 ? rowsAtOnce : size;
      const startedAtMs = performance.now();
      try {
        const progress = await together(importId, rows);
        const fitting = Math.round((rows * aloneBatchMs) / (performance.now() - startedAtMs));
        size = Math.min(rowsAtOnce * aloneFactor, Math.max(rowsAtOnce, fitting));
        inSmallBatches = Math.max(0, inSmallBatches - rows);
        return progress;
      } catch (error) {
        if (!isDataRefused(error)) throw error;
        if (rows > rowsAtOnce) {
          inSmallBatches = rows;
          return tryTogether(isShared);
        }
        oneByOne = rowsAtOnce;
        inSmallBatches = Math.max(0, inSmallBatches - rows);
        return undefined;
      }
    }

    return async (isShared: boolean): Promise<ImportProgress | undefined> => {
      if (oneByOne === 0) {
        const progress = await tryTogether(isShared);
        if (oneByOne === 0) return progress;
      }
      oneByOne -= 1;
      return alone(importId);
    };
  }

  return {
    /** Makes rows into links, for a turn. @returns the progress; null: the import no longer exists. */
    async importLinks({ importId }: { importId: string }): Promise<ImportProgress | null> {
      const organizationId = (await em.fork().findOne(Import, { id: importId }))?.organization.id ?? '';
      const step = createSteps(importId);
      return takeTurn({ turnMs, restMs, restFactor, sql: em }, async (turn) => {
        let isShared = true;
        for (let lookAtMs = 0; ;) {
          if (performance.now() >= lookAtMs) {
            isShared = organizationId === '' || (await isBesideOthers(organizationId));
            lookAtMs = performance.now() + lookEveryMs;
          }
          const progress = await gate(organizationId, () => turn.batch(() => step(isShared)));
          if (progress === undefined) return null;
          const { imported, skipped, failed, total } = progress;
          turn.show(`${figure(imported + skipped + failed)} of ${figure(total)} rows`);
          if (progress.state !== 'running' || turn.isOver()) return progress;
          if (isShared) await turn.rest();
        }
      });
    },

    /** Deletes links that the import made, for a turn. @returns the progress; null: the import no longer exists. */
    async undoImport({ importId }: { importId: string }): Promise<UndoProgress | null> {
      const organizationId = (await em.fork().findOne(Import, { id: importId }))?.organization.id ?? '';
      const step = () => em.transactional((em) => undoRows(em, importId, undoneAtOnce, new Date()));
      return takeTurn({ turnMs, restMs, restFactor: undoRestFactor, sql: em }, async (turn) => {
        for (;;) {
          const progress = await gate(organizationId, () => turn.batch(step));
          if (progress === undefined) return null;
          turn.show(`${figure(progress.removed + progress.kept)} of ${figure(progress.imported)} links`);
          if (progress.state !== 'undoing' || progress.isWaiting === true || turn.isOver()) return progress;
          await turn.rest();
        }
      });
    },
  };
}
