import type { StoredStanding } from '#core/webhooks/standing.ts';
import type { Sql } from '#db/connection/database.ts';
import {
  type AttemptRecord,
  type EndedAttempt,
  recordAttempts,
  type RecordedStanding,
  type RecordingPump,
  recordTogether,
} from './records.ts';

/** Records attempts of a pump as `recordAttempts` does. */
export type RecordAttempts = (
  pump: RecordingPump,
  attempts: readonly EndedAttempt[],
  before: StoredStanding,
) => Promise<RecordedStanding | undefined>;

interface Waiting {
  record: AttemptRecord;
  settle: PromiseWithResolvers<RecordedStanding | undefined>;
}

// Choices. A statement with a thousand attempts took PostgreSQL 130 to 200 ms on a busy machine; meanwhile it holds the webhooks' rows.
const mostAttempts = 500;
// PostgreSQL has no use for more at a time: each writes the same indexes.
const mostStatements = 2;

/**
 * Writes the records of all pumps of a process. Records that begin in the same turn of the event loop, or while two statements run, share
 * one statement: alone, each would cost the worker more than the few attempts that it records where many webhooks are busy (bench row
 * W1). A webhook that is locked, or changed meanwhile, is recorded alone, so that no other one waits for it.
 */
export function createRecordQueue(sql: Sql, probeDelaysMs: readonly number[]): RecordAttempts {
  const waiting: Waiting[] = [];
  let isScheduled = false;
  let statements = 0;

  return (pump, attempts, before) => {
    const settle = Promise.withResolvers<RecordedStanding | undefined>();
    waiting.push({ record: { ...pump, attempts, before }, settle });
    schedule();
    return settle.promise;
  };

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || statements >= mostStatements) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      statements += 1;
      void recordAll(takeBatch()).finally(() => {
        statements -= 1;
        schedule();
      });
      schedule();
    });
  }

  function takeBatch(): Waiting[] {
    let [count, attempts] = [0, 0];
    for (const { record } of waiting) {
      attempts += record.attempts.length;
      if (count > 0 && attempts > mostAttempts) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function recordAll(batch: readonly Waiting[]): Promise<void> {
    const records = batch.map(({ record }) => record);
    // After an error each pump learns by a statement of its own what became of its attempts.
    const results = await recordTogether(sql, records, probeDelaysMs).catch(() =>
      records.map(() => 'unwritten' as const),
    );
    for (const [index, { record, settle }] of batch.entries()) {
      const result = results[index];
      if (result !== 'unwritten') settle.resolve(result);
      else {
        const { attempts, before, ...pump } = record;
        recordAttempts(sql, { ...pump, probeDelaysMs }, attempts, before).then(settle.resolve, settle.reject);
      }
    }
  }
}
