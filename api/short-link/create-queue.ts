import { createLinksOf, linkTransaction, type LinkRequest, type CreateLinkResult } from '#commands/links/create.ts';
import { AppError } from '#core/errors/errors.ts';
import { plans } from '#core/organizations/plans.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { ApiDependencies } from '#api/dependencies.ts';

/**
 * Creates a link, in one transaction with others that arrive at the same moment.
 * @throws (rejects) the error of its transaction; AppError SERVICE_UNAVAILABLE while too many wait.
 */
type CreateQueue = (request: LinkRequest) => Promise<CreateLinkResult>;

export interface CreateQueueOptions extends Pick<ApiDependencies, 'site' | 'clock'> {
  em: Pick<EntityManager, 'transactional'>;
  /** The most creates that wait; running creates do not count. */
  maxWaiting?: number;
  /** After so many milliseconds a transaction is slow. */
  slowMs?: number;
}

interface Waiting {
  request: LinkRequest;
  resolve(result: CreateLinkResult): void;
  reject(error: unknown): void;
}

const maxBatch = 100;
// The next batch gathers while one transaction runs: the larger a batch, the cheaper each link (ADR 8).
const maxRunning = 2;
// A choice: a transaction that takes longer waits for a lock or for the disk, and a second one begins beside it.
const slowMsByDefault = 25;
const maxWaitingByDefault = 2_000;
// A create that waits for a lock delays the others of its batch by at most this time. A choice.
const lockTimeoutMs = 250;

/**
 * Whether a link may share a transaction with others. New tags and a plan's quota lock the organization; links with a password are
 * rare.
 */
export function canShareTransaction({ actor, draft }: LinkRequest): boolean {
  return !draft.password && !draft.tags?.length && plans[actor.plan].shortLinks === null;
}

/**
 * Batches creates of all organizations into transactions (ADR 8). A single create starts at once; creates that arrive while a
 * transaction runs share the next one, which begins when that one ends, or beside it when it is slow. Each link fails by itself. When a shared transaction fails before its commit, each of its
 * links is retried in a transaction of its own.
 */
export function createCreateQueue({
  em,
  site,
  clock,
  maxWaiting = maxWaitingByDefault,
  slowMs = slowMsByDefault,
}: CreateQueueOptions): CreateQueue {
  const waiting: Waiting[] = [];
  let running = 0;
  let quick = 0;
  let isDue = false;

  /** Never rejects. */
  async function make(batch: readonly Waiting[]): Promise<void> {
    const isShared = batch.length > 1;
    const transaction = isShared ? { ...linkTransaction, lockTimeoutMs } : linkTransaction;
    let isCommitting = false;
    try {
      const results = await em.transactional(async (em) => {
        isCommitting = false;
        const requests = batch.map(({ request }) => request);
        const made = await createLinksOf(em, requests, { site, now: clock() });
        isCommitting = true;
        return made;
      }, transaction);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      // A commit whose answer was lost may have succeeded: a retry would create the links twice.
      if (!isShared || isCommitting) for (const { reject } of batch) reject(error);
      // Retries do not count as running, so that one that waits for a lock does not delay the next batch.
      else for (const one of batch) void make([one]);
    }
  }

  function run(batch: readonly Waiting[]): void {
    running += 1;
    quick += 1;
    let isQuick = true;
    const letNextBegin = (): void => {
      if (isQuick) quick -= 1;
      isQuick = false;
      start();
    };
    const timer = setTimeout(letNextBegin, slowMs);
    void make(batch).then(() => {
      clearTimeout(timer);
      running -= 1;
      letNextBegin();
    });
  }

  function start(): void {
    isDue = false;
    while (quick === 0 && running < maxRunning && waiting.length > 0) run(waiting.splice(0, maxBatch));
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
      // Creates of one turn of the event loop share a transaction.
      setImmediate(start);
    });
}
