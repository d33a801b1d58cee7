import { createLinks, linkTransaction, type MadeLink } from '#commands/links/create/create.ts';
import type { LinkRequest } from '#commands/links/rows.ts';
import { AppError } from '#core/errors/errors.ts';
import { plans } from '#core/organizations/plans.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { ApiDependencies } from '#api/dependencies.ts';

export interface CreateQueueOptions extends Pick<ApiDependencies, 'site' | 'clock'> {
  em: Pick<EntityManager, 'transactional'>;
  /** The most creates that wait; running creates do not count. */
  maxWaiting?: number;
}

interface Waiting {
  request: LinkRequest;
  resolve(made: MadeLink): void;
  reject(error: unknown): void;
}

const maxBatch = 100;
const maxRunning = 2;
const maxWaitingByDefault = 2_000;
// A create that waits for a lock delays the others of its batch by at most this time.
const lockTimeoutMs = 250;

/**
 * Whether a link may share a transaction with others. New tags and a plan's quota lock the organization; links with a password are
 * rare.
 */
export function canShareTransaction({ actor, draft }: LinkRequest): boolean {
  return !draft.password && !draft.tags?.length && plans[actor.plan].shortLinks === null;
}

/**
 * Batches creates of all organizations into transactions, two at once (ADR 8): what arrives meanwhile shares the next one. Each link
 * fails by itself. When a shared transaction fails before its commit, each of its links is retried in a transaction of its own.
 */
export function createCreateQueue({ em, site, clock, maxWaiting = maxWaitingByDefault }: CreateQueueOptions) {
  const waiting: Waiting[] = [];
  let running = 0;

  /** Never rejects. */
  async function make(batch: readonly Waiting[]): Promise<void> {
    const isShared = batch.length > 1;
    const transaction = isShared ? { ...linkTransaction, lockTimeoutMs } : linkTransaction;
    const requests = batch.map(({ request }) => request);
    let isCommitting = false;
    try {
      const results = await em.transactional(async (em) => {
        isCommitting = false;
        const made = await createLinks(em, requests, { site, now: clock() });
        isCommitting = true;
        return made;
      }, transaction);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]!;
        if (result instanceof AppError) reject(result);
        else resolve(result);
      }
    } catch (error) {
      // A commit whose answer was lost may have succeeded: a retry would create the links twice.
      if (!isShared || isCommitting) for (const { reject } of batch) reject(error);
      // Retries do not count as running, so that one that waits for a lock does not delay the next batch.
      else for (const one of batch) void make([one]);
    }
  }

  function start(): void {
    while (running < maxRunning && waiting.length > 0) {
      running += 1;
      void make(waiting.splice(0, maxBatch)).then(() => {
        running -= 1;
        start();
      });
    }
  }

  /** @throws (rejects) the AppError that refuses it; the error of its transaction; AppError SERVICE_UNAVAILABLE while too many wait. */
  return (request: LinkRequest) =>
    new Promise<MadeLink>((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new AppError('SERVICE_UNAVAILABLE'));
        return;
      }
      waiting.push({ request, resolve, reject });
      // Creates of one turn of the event loop share a transaction.
      setImmediate(start);
    });
}
