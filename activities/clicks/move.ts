import { ApplicationFailure } from '@temporalio/common';
import { figure, takeTurn } from '#activities/turn.ts';
import { createClickHouseStore } from '#db/clicks/stores/clickhouse-store.ts';
import { checkBatch, copyBatch, type Copying, isSamePart } from '#db/clicks/stores/copy.ts';
import { createPostgresStore } from '#db/clicks/stores/postgres-store.ts';
import { boundsOf, type ClickPart, type MovedTable } from '#db/clicks/stores/store.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import { removeMovedClicks } from '#db/deletions/clicks.ts';

/** The times and sizes are for tests. */
interface MoveDependencies {
  em: EntityManager;
  clickhouse?: ClickHouse | undefined;
  /** How long an activity goes on before it reports its progress to its workflow. */
  turnMs?: number;
  /** Clicks in a batch, some 400 bytes each. */
  batchSize?: number;
}

/** What moves, and where. */
export interface ClickMove {
  to: 'clickhouse' | 'postgresql';
  /** Whether PostgreSQL forgets what ClickHouse has; only to ClickHouse. */
  removes: boolean;
}

/** How far a month has come: which organization is under way, in which phase, and behind which click. */
export interface MonthPlace {
  organizationId: string;
  phase: 'copy' | 'remove' | 'done';
  after: Position | null;
}

/** What a turn has done. Clicks are bots' visits too. */
export interface MovedSome {
  /** Organizations whose clicks of the month are copied and verified. */
  parts: number;
  copied: number;
  removed: number;
  /** Organizations whose clicks are not the same in both stores. */
  different: string[];
}

export type MoveActivities = ReturnType<typeof createMoveActivities>;

/** What moves of a month; `place` null: its turns have not begun. */
type MonthMove = ClickMove & { table: MovedTable; month: string; place: MonthPlace | null };

export function createMoveActivities(options: MoveDependencies) {
  const { em, clickhouse, turnMs = 5 * 60_000, batchSize = 10_000 } = options;

  function copyingOf({ to }: ClickMove): Copying {
    if (clickhouse === undefined)
      throw ApplicationFailure.nonRetryable('A worker has no CLICKHOUSE_URL: set it for all workers, and begin again.');
    const [postgres, other] = [createPostgresStore(em), createClickHouseStore(clickhouse, em)];
    return to === 'clickhouse'
      ? { from: postgres, to: other, limit: batchSize }
      : { from: other, to: postgres, limit: batchSize };
  }

  return {
    /** Months (`YYYY-MM`) to be copied, the latest first. */
    listMovedMonths: ({ table, ...move }: ClickMove & { table: MovedTable }): Promise<string[]> =>
      takeTurn({ turnMs, sql: em }, () => copyingOf(move).from.listMonths(table)),
    /** Copies, verifies and removes clicks of a month, organization by organization, for a turn. `place` null: the month is done. */
    moveMonth: ({ table, month, place: begun, ...move }: MonthMove) =>
      takeTurn({ turnMs, sql: em }, async (turn): Promise<MovedSome & { place: MonthPlace | null }> => {
        const copying = copyingOf(move);
        const done: MovedSome = { parts: 0, copied: 0, removed: 0, different: [] };
        let place = begun;
        const show = (): void =>
          turn.show(`${month} of ${table}: ${figure(done.copied)} copied, ${figure(done.removed)} removed`);
        do {
          place = await turn.batch(() => step(place));
          show();
        } while (place !== null && !turn.isOver());
        return { ...done, place };

        async function step(at: MonthPlace | null): Promise<MonthPlace | null> {
          if (at === null || at.phase === 'done') {
            const organizationId = await copying.from.findOrganization(
              { table, month },
              at === null ? null : at.organizationId,
            );
            return organizationId === undefined ? null : { organizationId, phase: 'copy', after: null };
          }
          const part = { table, month, organizationId: at.organizationId };
          return at.phase === 'copy' ? copySome(part, at) : removeSome(part, at);
        }

        async function copySome(part: ClickPart, at: MonthPlace): Promise<MonthPlace> {
          // Where all is there, as after a worker's death, no click is read one by one.
          const isThere = at.after === null && (await isSamePart(copying, part));
          const batch = isThere ? undefined : await copyBatch(copying, part, at.after);
          done.copied += batch?.copied ?? 0;
          if (batch !== undefined && batch.next !== null) return { ...at, after: batch.next };
          const isVerified = isThere || (await isSamePart(copying, part)) || (await isWhole(part));
          if (isVerified) done.parts += 1;
          else done.different.push(part.organizationId);
          return { ...at, phase: isVerified && move.removes ? 'remove' : 'done', after: null };
        }

        /** Whether the other store, which may have more clicks, has each click of a part once. */
        async function isWhole(part: ClickPart): Promise<boolean> {
          for (let after: Position | null = null; ;) {
            turn.check();
            const batch = await checkBatch(copying, part, after);
            if (batch === undefined) return true;
            if (!batch.isWhole) return false;
            if (batch.next === null) return true;
            after = batch.next;
          }
        }

        async function removeSome(part: ClickPart, at: MonthPlace): Promise<MonthPlace> {
          const batch = await checkBatch(copying, part, at.after);
          if (batch !== undefined)
            done.removed += await removeMovedClicks(em.fork(), { ...part, ...boundsOf(month), ids: batch.there });
          return batch === undefined || batch.next === null
            ? { ...at, phase: 'done', after: null }
            : { ...at, after: batch.next };
        }
      }),
  };
}
