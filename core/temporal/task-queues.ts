/**
 * Task queues by kind of work, beside the installation's own queue of workflows and short activities; with as many tasks at once as given
 * here for a process.
 */
const sideQueues = {
  /** Pumps, which mostly wait for the servers of webhooks. */
  webhooks: { atOnce: 1_000 },
  /** Scans that a caller waits for. */
  scans: { atOnce: 16 },
  /** Scans of imports and bulk calls. A scan looks ten URLs up at a time. */
  'bulk-scans': { atOnce: 4 },
  mail: { atOnce: 8 },
  /** Imports, deletions, rescans and housekeeping, which rest beside others. */
  bulk: { atOnce: 20 },
} as const;

/** A kind of work with a queue of its own. */
export type SideQueue = keyof typeof sideQueues;

/** What a worker may take: `workflows` is the installation's own queue. */
export const workQueues = ['workflows', 'webhooks', 'scans', 'bulk-scans', 'mail', 'bulk'] as const satisfies (
  | 'workflows'
  | SideQueue
)[];
export type WorkQueue = (typeof workQueues)[number];

/** A task queue as a worker takes it. */
export interface TakenQueue {
  taskQueue: string;
  hasWorkflows: boolean;
  /** Activities that run at once in this process. */
  atOnce: number;
  /** Activities that Temporal hands out in a second, to all processes together; undefined: as many as there are. */
  perSecond?: number | undefined;
}

/** The name of a task queue in Temporal. @param taskQueue the installation's own. */
export function taskQueueOf(taskQueue: string, name: WorkQueue): string {
  return name === 'workflows' ? taskQueue : `${taskQueue}-${name}`;
}

/** The task queues of some kinds of work. */
export function takenQueues(
  taskQueue: string,
  names: readonly WorkQueue[],
  perSecond: Partial<Record<WorkQueue, number | undefined>> = {},
): TakenQueue[] {
  return names.map((name) => ({
    taskQueue: taskQueueOf(taskQueue, name),
    hasWorkflows: name === 'workflows',
    atOnce: name === 'workflows' ? ownAtOnce : sideQueues[name].atOnce,
    perSecond: perSecond[name],
  }));
}

// Short activities: reads, and questions to name servers and web sites.
const ownAtOnce = 100;
