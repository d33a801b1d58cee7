import { AppError } from './errors.ts';

/** Lets a few pieces of work run at a time, and shares the turns out between those who ask. */
export interface FairGate {
  /**
   * Runs `work` as soon as it is its turn.
   * @param path names who asks, the widest group first, such as link and address: groups take turns, and within a group its
   * members do.
   * @throws AppError SERVICE_UNAVAILABLE where too many wait. The greediest is refused then, who need not be the newest.
   */
  run<T>(path: readonly string[], work: () => Promise<T>): Promise<T>;
}

/** Settings of `createFairGate`. */
export interface FairGateOptions {
  /** How many pieces run at a time. */
  slots: number;
  /** How many may wait. */
  waiting: number;
  /** How many may wait of one path. Default: `waiting`. */
  waitingPerPath?: number;
}

interface Waiter {
  start(): void;
  refuse(): void;
}

/** Who waits under one name; the order of `groups` is that of the turns. */
interface Group {
  size: number;
  readonly groups: Map<string, Group>;
  readonly waiters: Waiter[];
}

const createGroup = (): Group => ({ size: 0, groups: new Map(), waiters: [] });

/** Makes a gate that `slots` go through together. */
export function createFairGate({ slots, waiting, waitingPerPath = waiting }: FairGateOptions): FairGate {
  const root = createGroup();
  let running = 0;

  function add(path: readonly string[], waiter: Waiter): void {
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

  function countWaiting(path: readonly string[]): number {
    let group: Group | undefined = root;
    for (const name of path) group = group?.groups.get(name);
    return group?.waiters.length ?? 0;
  }

  return {
    async run(path, work) {
      if (running < slots) running += 1;
      else {
        if (countWaiting(path) >= waitingPerPath) throw new AppError('SERVICE_UNAVAILABLE');
        // The slot is handed over by the one who leaves, so that nobody slips in between.
        await new Promise<void>((start, reject) => {
          add(path, { start, refuse: () => reject(new AppError('SERVICE_UNAVAILABLE')) });
          if (root.size > waiting) takeNewestOfLargest(root).refuse();
        });
      }
      try {
        return await work();
      } finally {
        if (root.size === 0) running -= 1;
        else takeNext(root).start();
      }
    },
  };
}

/** Takes whose turn it is; each group on the way goes to the end of the line of its level. */
function takeNext(group: Group): Waiter {
  group.size -= 1;
  const [first] = group.groups;
  if (first === undefined) return group.waiters.shift()!;
  const [name, child] = first;
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
