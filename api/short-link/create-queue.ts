import { createLinksOf, linkTransaction, type LinkRequest, type CreateLinkResult } from '#commands/links/create.ts';
import { AppError } from '#core/errors/errors.ts';
import { plans } from '#core/organizations/plans.ts';
import type { Database } from '#db/connection/database.ts';
import type { ApiDependencies } from '#api/dependencies.ts';

/**
 * Makes a link, in one transaction with others that are wanted at the same moment.
 * @throws (rejects) what its transaction failed with; AppError SERVICE_UNAVAILABLE while too many wait.
 */
type CreateQueue = (request: LinkRequest) => Promise<CreateLinkResult>;

/** Settings of `createCreateQueue`. */
export interface CreateQueueOptions extends Pick<ApiDependencies, 'site' | 'clock'> {
  db: Pick<Database, 'transaction'>;
  /** How many may wait, besides those under way. */
  maxWaiting?: number;
}

interface Waiting {
  request: LinkRequest;
  resolve(result: CreateLinkResult): void;
  reject(error: unknown): void;
}

const maxBatch = 100;
// One gathers while another is under way, and the database is not kept waiting in between.
const maxRunning = 2;
const maxWaitingByDefault = 2_000;
// Whoever would have to wait for a lock keeps others waiting no longer than this.
const lockTimeoutMs = 250;

/**
 * Whether a link may be made together with others. A password is rare; new tags, and a plan's quota, lock the
 * organization and stand or fall with the link.
 */
export function mayShare({ actor, draft }: LinkRequest): boolean {
  return !draft.password && !draft.tags?.length && plans[actor.plan].shortLinks === null;
}

/**
 * Gathers links into transactions, whoever wants them: one that comes alone is begun at once, those that come while two
 * transactions are under way share the next. Each fails by itself; where a shared transaction fails as a whole before its
 * commit, each of its links is made in one of its own.
 */
export function createCreateQueue({
  db,
  site,
  clock,
  maxWaiting = maxWaitingByDefault,
}: CreateQueueOptions): CreateQueue {
  const waiting: Waiting[] = [];
  let running = 0;
  let isDue = false;

  /** Never rejects. */
  async function make(batch: readonly Waiting[]): Promise<void> {
    const isShared = batch.length > 1;
    let isCommitting = false;
    try {
      const results = await db.transaction(async (tx) => {
        isCommitting = false;
        if (isShared) await tx.query(`set local lock_timeout = ${lockTimeoutMs}`);
        const requests = batch.map(({ request }) => request);
        const made = await createLinksOf(tx, requests, { site, now: clock() });
        isCommitting = true;
        return made;
      }, linkTransaction);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      // What was lost at its commit may have been done all the same: made again, it would be there twice.
      if (!isShared || isCommitting) for (const { reject } of batch) reject(error);
      // They hold no place among those that run: one that waits for a lock keeps nobody else waiting.
      else for (const one of batch) void make([one]);
    }
  }

  function start(): void {
    isDue = false;
    while (running < maxRunning && waiting.length > 0) {
      running += 1;
      void make(waiting.splice(0, maxBatch)).then(() => {
        running -= 1;
        start();
      });
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new AppError('SERVICE_UNAVAILABLE'));
        return;
      }
      waiting.push({ request, resolve, reject });
      if (isDue) return;
      isDue = true;
      // Those that arrive in one turn of the event loop go together.
      setImmediate(start);
    });
}
