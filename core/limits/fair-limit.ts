import { AppError } from '#core/errors/errors.ts';
import type { WorkBudget } from './work-budget.ts';

/** Runs a few pieces of work at a time, and gives callers turns. */
export interface FairLimit {
  /**
   * Runs `work` when its turn comes.
   * @param path names the caller, the widest group first, such as link and address: groups take turns, and within a group its
   * members do.
   * @throws AppError SERVICE_UNAVAILABLE, or the result of `refusal`, when too many wait or the wait takes too long. Of too many,
   * the newest of the group with the most is refused, which need not be this caller.
   */
  run<T>(path: readonly string[], work: () => Promise<T>, options?: RunOptions): Promise<T>;
}

/** How one piece of work goes through the limit. */
interface RunOptions {
  /** The work continues something begun: it waits without a deadline, and is refused only when too many wait in all. */
  isContinued?: boolean;
}

interface FairLimitOptions {
  /** How many pieces run at a time. */
  slots: number;
  /** How many may wait. */
  waiting: number;
  /** How many may wait of one path. Default: `waiting`. */
  waitingPerPath?: number;
  /** How many pieces of one widest group run at a time. Default: `slots`. */
  perGroup?: number;
  /** Charges each widest group for the time of its pieces, and lets a group wait that has used its share up. */
  budget?: WorkBudget;
  /** How long a piece may wait, in milliseconds. Default: until it is its turn. */
  patienceMs?: number;
  /** The error for a refused path. */
  refusal?: (path: readonly string[]) => AppError;
}

interface Waiter {
  start(): void;
  refuse(): void;
}

/** Waiters under one name; the order of `groups` is that of the turns. */
interface Group {
  size: number;
  readonly groups: Map<string, Group>;
  readonly waiters: Waiter[];
}

const createGroup = (): Group => ({ size: 0, groups: new Map(), waiters: [] });

// A choice: a group is free as soon as the other groups have left, and no event reports that.
const budgetLookMs = 250;

/** Runs `slots` pieces at a time. */
export function createFairLimit({
  slots,
  waiting,
  waitingPerPath = waiting,
  perGroup = slots,
  budget,
  patienceMs,
  refusal = () => new AppError('SERVICE_UNAVAILABLE'),
}: FairLimitOptions): FairLimit {
  const root = createGroup();
  let running = 0;
  const runningOf = new Map<string, number>();
  const hasRoom = (name: string): boolean => (runningOf.get(name) ?? 0) < perGroup;
  const hasShare = (name: string): boolean => hasRoom(name) && (budget === undefined || budget.waitMs(name) === 0);
  let budgetTimer: NodeJS.Timeout | undefined;
  const goLast = budget?.addGate(startWaiting);

  function begin(name: string): void {
    running += 1;
    runningOf.set(name, (runningOf.get(name) ?? 0) + 1);
    // A group's next piece comes from another gate, where one waits.
    goLast?.();
    budget?.begin(name);
  }

  function end(name: string, tookMs: number): void {
    running -= 1;
    const left = runningOf.get(name)! - 1;
    if (left === 0) runningOf.delete(name);
    else runningOf.set(name, left);
    if (budget === undefined) startWaiting();
    // Starts the waiters of this gate too.
    else budget.end(name, tookMs);
  }

  /** Starts the waiters whose turn it is, as long as there are free slots. */
  function startWaiting(): void {
    while (running < slots && root.size > 0) {
      const name = [...root.groups.keys()].find(hasShare);
      if (name === undefined) return waitForBudget();
      begin(name);
      takeNext(root, name).start();
    }
  }

  /** Looks again when the first group that waits for its budget alone may go on. */
  function waitForBudget(): void {
    if (budget === undefined || budgetTimer !== undefined) return;
    // A wait may have ended since the caller looked; then nothing else would start that group. The end of a piece starts the groups
    // without room.
    const waits = [...root.groups.keys()].filter(hasRoom).map((name) => budget.waitMs(name));
    if (waits.length === 0) return;
    budgetTimer = setTimeout(
      () => {
        budgetTimer = undefined;
        budget.callGates();
      },
      Math.min(...waits, budgetLookMs),
    );
  }

  function wait(path: readonly string[], isContinued: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout | undefined;
    const waiter: Waiter = {
      start() {
        clearTimeout(timer);
        resolve();
      },
      refuse() {
        clearTimeout(timer);
        reject(refusal(path));
      },
    };
    add(root, path, waiter);
    if (patienceMs !== undefined && !isContinued) {
      timer = setTimeout(() => {
        remove(root, path, waiter);
        waiter.refuse();
      }, patienceMs);
    }
    if (root.size > waiting) takeNewestOfLargest(root).refuse();
    if (running < slots) waitForBudget();
    return promise;
  }

  return {
    async run(path, work, { isContinued = false } = {}) {
      const [name = ''] = path;
      // A new caller does not overtake waiters of its group.
      if (running < slots && hasShare(name) && !root.groups.has(name)) begin(name);
      else {
        if (!isContinued && countWaiting(root, path) >= waitingPerPath) throw refusal(path);
        // The finished piece hands its slot over, so that a later caller cannot take it first.
        await wait(path, isContinued);
      }
      const startedAtMs = performance.now();
      try {
        return await work();
      } finally {
        end(name, performance.now() - startedAtMs);
      }
    },
  };
}

function add(root: Group, path: readonly string[], waiter: Waiter): void {
  let group = root;
  group.size += 1;
  for (const name of path) {
    let next = group.groups.get(name);
    if (next === undefined) group.groups.set(name, (next = createGroup()));
    next.size += 1;
    group = next;
  }
  group.waiters.push(waiter);
}

/** Removes a waiter from the queue. */
function remove(group: Group, [name, ...rest]: readonly string[], waiter: Waiter): void {
  group.size -= 1;
  if (name === undefined) {
    group.waiters.splice(group.waiters.indexOf(waiter), 1);
    return;
  }
  const child = group.groups.get(name)!;
  remove(child, rest, waiter);
  if (child.size === 0) group.groups.delete(name);
}

function countWaiting(root: Group, path: readonly string[]): number {
  let group: Group | undefined = root;
  for (const name of path) group = group?.groups.get(name);
  return group?.waiters.length ?? 0;
}

/**
 * Takes the waiter whose turn it is; each group on the way goes to the end of the queue of its level.
 * @param name of the group whose turn it is; undefined: the first one's.
 */
function takeNext(group: Group, name = [...group.groups.keys()][0]): Waiter {
  group.size -= 1;
  if (name === undefined) return group.waiters.shift()!;
  const child = group.groups.get(name)!;
  const waiter = takeNext(child);
  group.groups.delete(name);
  if (child.size > 0) group.groups.set(name, child);
  return waiter;
}

/** Takes the newest of the group that has most waiting, at each level; of equals the last one. */
function takeNewestOfLargest(group: Group): Waiter {
  group.size -= 1;
  let largest: [string, Group] | undefined;
  for (const entry of group.groups) if (largest === undefined || entry[1].size >= largest[1].size) largest = entry;
  if (largest === undefined) return group.waiters.pop()!;
  const [name, child] = largest;
  const waiter = takeNewestOfLargest(child);
  if (child.size === 0) group.groups.delete(name);
  return waiter;
}
