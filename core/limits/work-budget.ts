/**
 * Shares out the working time of a process between groups of callers, such as organizations. A group that works alone is not
 * held back; beside other groups it may work for a share of each second.
 */
export interface WorkBudget {
  /** Notes that a group uses the process now: for a second it counts among the others of every group. */
  notePresence(name: string): void;
  /** Takes the time that a piece of a group's work took, in milliseconds, off the group's budget. */
  charge(name: string, tookMs: number): void;
  /** How many milliseconds a group has to wait until it may begin another piece; 0: none. */
  waitMs(name: string): number;
}

/** Bounds of a `WorkBudget`. */
interface WorkBudgetOptions {
  /** Milliseconds of work that a group may do beside others for each second that passes. */
  perSecondMs: number;
  /** Milliseconds of work that a rested group may do before that; the debt of one long piece is no larger either. */
  burstMs: number;
  /** Milliseconds on a clock that never goes back. */
  monotonicMs?: () => number;
}

interface Balance {
  leftMs: number;
  atMs: number;
}

const presenceMs = 1_000;
// A group that has rested has a whole budget again and needs no entry; 10,000 in one process at a time are never reached.
const maxBalances = 10_000;

/** Creates the budgets of a process, all of them whole. */
export function createWorkBudget({
  perSecondMs,
  burstMs,
  monotonicMs = () => performance.now(),
}: WorkBudgetOptions): WorkBudget {
  const balances = new Map<string, Balance>();
  // Two names are enough to answer "is any other group here": the latest one, and the latest one that differs from it.
  let latest = { name: '', atMs: Number.NEGATIVE_INFINITY };
  let other = latest;

  function isContended(name: string): boolean {
    const { atMs } = latest.name === name ? other : latest;
    return monotonicMs() - atMs < presenceMs;
  }

  function leftOf(name: string): number {
    const balance = balances.get(name);
    if (balance === undefined) return burstMs;
    return Math.min(burstMs, balance.leftMs + ((monotonicMs() - balance.atMs) / 1_000) * perSecondMs);
  }

  return {
    notePresence(name) {
      if (latest.name !== name) other = latest;
      latest = { name, atMs: monotonicMs() };
    },
    charge(name, tookMs) {
      const leftMs = Math.max(-burstMs, leftOf(name) - tookMs);
      balances.delete(name);
      balances.set(name, { leftMs, atMs: monotonicMs() });
      if (balances.size > maxBalances) balances.delete(balances.keys().next().value!);
    },
    waitMs(name) {
      if (!isContended(name)) return 0;
      const leftMs = leftOf(name);
      return leftMs > 0 ? 0 : (-leftMs / perSecondMs) * 1_000 + 1;
    },
  };
}
