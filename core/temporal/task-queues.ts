/** Activities that must not take the place of others have task queues of their own, with as many at once as given here a process. */
const sideQueues = {
  /** Scans that a caller waits for. */
  scans: { atOnce: 16 },
  /** Scans of imports and bulk calls. A scan looks ten URLs up at a time. */
  bulk: { atOnce: 4 },
} as const;

type SideQueue = keyof typeof sideQueues;

/** The name of a side queue, beside that of the installation's workflows. */
export function sideQueueOf(taskQueue: string, name: SideQueue): string {
  return `${taskQueue}-${name}`;
}

/** All side queues, for a worker that takes them. */
export function sideQueuesOf(taskQueue: string): { taskQueue: string; atOnce: number }[] {
  return Object.entries(sideQueues).map(([name, { atOnce }]) => ({
    taskQueue: sideQueueOf(taskQueue, name as SideQueue),
    atOnce,
  }));
}
