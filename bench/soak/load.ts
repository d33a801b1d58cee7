import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';
import { between, pick, type Random } from './random.ts';

/** Clients at work. */
export interface Load {
  /** Starts no further request, and waits for those under way. */
  stop(): Promise<void>;
}

/** Visitors that click at the same time. */
export const visitors = 8;
/** Clients that create links at the same time. */
export const creators = 3;

const flaggedShare = 0.2;
const afterFailureMs = 200;

/** Starts visitors and creators on a ledger, each at a pace that a small machine keeps up with. */
export function startLoad(ledger: Ledger, random: Random): Load {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeat = async (leastMs: number, mostMs: number, work: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted) {
      const pauseMs = (await work()) ? between(random, leastMs, mostMs) : afterFailureMs;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const create = async (): Promise<boolean> => {
    const asked = await ledger.create(random() < flaggedShare);
    return asked?.link !== undefined;
  };
  const working = [
    ...Array.from({ length: visitors }, () => repeat(20, 60, () => ledger.visit(pick(random, ledger.links)))),
    ...Array.from({ length: creators }, () => repeat(60, 140, create)),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(working);
    },
  };
}
