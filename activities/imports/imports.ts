import { takeTurn } from '#activities/turn.ts';
import { type ImportProgress, importRowAlone, importRows } from '#commands/imports/imports.ts';
import { type FindLocalAnswers, findNoLocalAnswers } from '#commands/threats/local-answers.ts';
import { createFairLimit } from '#core/limits/fair-limit.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Import } from '#db/entities/imports.ts';
import { linkTransaction } from '#commands/links/create.ts';
import { isRefusal } from '#db/clicks/ingest.ts';

/** The times and sizes are for tests. */
export interface ImportDependencies {
  /** Each batch has a fork of it. */
  em: EntityManager;
  site: Site;
  /** Without: rows wait for their scans. */
  findLocalAnswers?: FindLocalAnswers;
  now?: () => Date;
  /** How long an activity goes on before it reports its progress to its workflow. */
  turnMs?: number;
  /** Rows in one transaction. */
  rowsAtOnce?: number;
  /** Transactions under way at once in this process; of one organization one. */
  stepsAtOnce?: number;
  /** The least rest after a transaction; one that took longer is followed by a rest four times as long as itself. */
  restMs?: number;
}

/** Activities of imports. They may be repeated after any interruption: a row becomes a link once. */
export interface ImportActivities {
  /** Makes rows into links, for a turn. @returns the progress; null: the import no longer exists. */
  importLinks(target: { importId: string }): Promise<ImportProgress | null>;
}

// An import has a fifth of the time of one database connection (bench row V1).
const restFactor = 4;

export function createImportActivities({
  em,
  site,
  findLocalAnswers = findNoLocalAnswers,
  now = () => new Date(),
  turnMs = 20_000,
  rowsAtOnce = 50,
  stepsAtOnce = 2,
  restMs = 20,
}: ImportDependencies): ImportActivities {
  // Bounds the load on the database however many files wait; organizations take turns.
  const gate = createFairLimit({ slots: stepsAtOnce, perGroup: 1, waiting: Number.POSITIVE_INFINITY });
  const options = () => ({ site, now: now(), findLocalAnswers });
  const together = (importId: string) =>
    em.transactional((em) => importRows(em, importId, rowsAtOnce, options()), linkTransaction);
  const alone = (importId: string) =>
    em.transactional((em) => importRowAlone(em, importId, options()), linkTransaction);

  return {
    async importLinks({ importId }) {
      const path = [(await em.fork().findOne(Import, { id: importId }))?.organization.id ?? ''];
      // Rows that the database refuses together go one by one, until the culprit is given up.
      let oneByOne = 0;
      const step = async (): Promise<ImportProgress | undefined> => {
        if (oneByOne === 0) {
          try {
            return await together(importId);
          } catch (error) {
            if (!isRefusal(error)) throw error;
            oneByOne = rowsAtOnce;
          }
        }
        oneByOne -= 1;
        return alone(importId);
      };
      return takeTurn({ turnMs, restMs, restFactor }, async (turn) => {
        for (;;) {
          const progress = await gate.run(path, () => turn.batch(step));
          if (progress === undefined) return null;
          if (progress.state !== 'running' || turn.isOver()) return progress;
          await turn.rest();
        }
      });
    },
  };
}
