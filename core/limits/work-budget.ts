/**
 * Shares out the working time of a process between groups of callers, such as organizations. A group that works alone is not
 * held back; beside other groups it may work for a share of each second, with a few pieces at a time: pieces at once hold up the
 * others' calls for as long as all of them together.
 */
export interface WorkBudget {
  /** Notes that a group uses the process now: for a second it counts among the others of every group. */
  notePresence(name: string): void;
  /** Begins a piece of a group's work. */
  begin(name: string): void;
  /** Ends a piece, and takes the milliseconds that it took off the group's budget. */
  end(name: string, tookMs: number): void;
  /**
   * How many milliseconds a group has to wait until it may begin another piece; 0: none; Infinity: until a piece of it ends, or the
   * other groups have left, which no event reports.
   */
  waitMs(name: string): number;
  /** Adds a gate whose waiters are started by `startWaiting`. @returns a function that makes it the last to be called. */
  addGate(startWaiting: () => void): () => void;
  /** Calls all gates, in their order: after the end of a piece, or of a wait. */
  callGates(): void;
}

/** Bounds of a `WorkBudget`. */
interface WorkBudgetOptions {
  /** Milliseconds of work that a group may do beside others for each second that passes. */
  perSecondMs: number;
  /** Milliseconds of work that a rested group may do before that. */
  burstMs: number;
  /** The most that one long piece leaves as a debt, in milliseconds. */
  debtMs: number;
  /** How many pieces of a group run at a time beside others, through all gates. */
  atOnce: number;
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
  debtMs,
  atOnce,
  monotonicMs = () => performance.now(),
}: WorkBudgetOptions): WorkBudget {
  const balances = new Map<string, Balance>();
  const running = new Map<string, number>();
  // In the order of their turns.
  const gates = new Set<() => void>();
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

  function callGates(): void {
    // A gate that begins a piece moves to the end meanwhile.
    const inOrder = [...gates];
    for (const startWaiting of inOrder) startWaiting();
  }

  return {
    callGates,
    notePresence(name) {
      if (latest.name !== name) other = latest;
      latest = { name, atMs: monotonicMs() };
    },
    begin(name) {
      running.set(name, (running.get(name) ?? 0) + 1);
    },
    end(name, tookMs) {
      const left = running.get(name)! - 1;
      if (left === 0) running.delete(name);
      else running.set(name, left);
      const leftMs = Math.max(-debtMs, leftOf(name) - tookMs);
      balances.delete(name);
      balances.set(name, { leftMs, atMs: monotonicMs() });
      if (balances.size > maxBalances) balances.delete(balances.keys().next().value!);
      callGates();
    },
    waitMs(name) {
      if (!isContended(name)) return 0;
      if ((running.get(name) ?? 0) >= atOnce) return Number.POSITIVE_INFINITY;
      const leftMs = leftOf(name);
      return leftMs > 0 ? 0 : (-leftMs / perSecondMs) * 1_000 + 1;
    },
    addGate(startWaiting) {
      gates.add(startWaiting);
      return () => {
        gates.delete(startWaiting);
        gates.add(startWaiting);
      };
    },
  };
}
