import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { Logger } from 'pino';

const queueTypes = { workflow: 1, activity: 2 } as const;
type QueueType = keyof typeof queueTypes;

/** Who polls a worker's task queue, as the Temporal service tells it. */
export interface Polling {
  /** Begins to look for the pollers of the worker of this name. */
  watch(identity: string): void;
  /** Why the worker gets no tasks; undefined: it polls, or the service does not tell. */
  problem(): string | undefined;
  /** Live pollers of the queue, those of other processes too; undefined: not known now. */
  pollers(): Readonly<Record<QueueType, number>> | undefined;
  close(): Promise<void>;
}

interface PollingOptions {
  client: Client;
  namespace: string;
  taskQueue: string;
  log: Pick<Logger, 'info' | 'warn'>;
  everyMs?: number;
}

// A code of gRPC.
const notFoundCodes = new Set([5]);
const deadlineMs = 5_000;
// A poll without a task ends after 60 s (`matching.longPollExpirationInterval`), and is followed by the next one at once.
const livePollMs = 90_000;
// Longer than a pause between two polls of a busy worker.
const unseenMs = 30_000;

/**
 * Asks the service every five seconds who polls the queue. A service that does not answer, or may not tell, is no problem of the
 * worker's: `createTemporal` watches whether it can be reached.
 */
export function createPolling({ client, namespace, taskQueue, log, everyMs = 5_000 }: PollingOptions): Polling {
  const closing = new AbortController();
  let counts: Record<QueueType, number> | undefined;
  let problem: string | undefined;
  let seenAtMs = 0;
  let watching: Promise<void> | undefined;

  async function listPollers(type: QueueType): Promise<{ identity: string; polledAtMs: number }[]> {
    const { pollers } = await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: queueTypes[type],
      }),
    );
    return (pollers ?? []).map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      polledAtMs: Number(lastAccessTime?.seconds ?? 0) * 1_000,
    }));
  }

  async function look(identity: string): Promise<void> {
    const before = problem;
    try {
      const [workflow, activity] = await Promise.all([listPollers('workflow'), listPollers('activity')]);
      const live = [workflow, activity].map((all) =>
        all.filter(({ polledAtMs }) => Date.now() - polledAtMs < livePollMs),
      );
      counts = { workflow: live[0]!.length, activity: live[1]!.length };
      if (live.every((pollers) => pollers.some((poller) => poller.identity === identity))) seenAtMs = performance.now();
      problem = performance.now() - seenAtMs < unseenMs ? undefined : 'Temporal sees no poll of this worker';
    } catch (error) {
      counts = undefined;
      problem =
        isGrpcServiceError(error) && notFoundCodes.has(error.code) ? 'Temporal has no such namespace' : undefined;
    }
    if (problem === before) return;
    if (problem === undefined) log.info({ namespace, taskQueue }, 'the worker is seen to poll');
    else log.warn({ namespace, taskQueue, reason: problem }, 'the worker gets no tasks');
  }

  async function run(identity: string): Promise<void> {
    seenAtMs = performance.now();
    while (!closing.signal.aborted) {
      await look(identity);
      await sleep(everyMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    watch: (identity) => void (watching ??= run(identity)),
    problem: () => problem,
    pollers: () => counts,
    async close() {
      closing.abort();
      await watching;
    },
  };
}
