import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { Logger } from 'pino';
import type { TakenQueue } from '#core/temporal/task-queues.ts';
import { grpcErrorOf } from './client.ts';
import { isOfCurrent, type Routing, routingOf, routingTexts, setCurrentCommand } from './routing.ts';

const queueTypes = { workflow: 1, activity: 2 } as const;

/** Live pollers of a task queue, those of other processes too, that get the work that begins: of the current version, where there is one. */
interface QueuePollers {
  queue: string;
  type: keyof typeof queueTypes;
  count: number;
}

/** Who polls the task queues, as the Temporal service tells it. */
export type Polling = ReturnType<typeof createPolling>;

interface PollingOptions {
  client: Client;
  namespace: string;
  /** Those of the installation; `isTaken`: by this worker. */
  queues: readonly (Pick<TakenQueue, 'taskQueue' | 'hasWorkflows'> & { isTaken: boolean })[];
  /** Of the worker, where it has one. */
  version?: WorkerDeploymentVersion | undefined;
  /** Called when the version has become the current one, and once where it was when the watch began. */
  onCurrent?: () => void;
  log: Pick<Logger, 'info' | 'warn'>;
  everyMs?: number;
}

// A code of gRPC.
const notFound = 5;
const deadlineMs = 5_000;
// A poll without a task ends after 60 s (`matching.longPollExpirationInterval`), and is followed by the next one at once.
const livePollMs = 90_000;
// Longer than a pause between two polls of a busy worker.
const unseenMs = 30_000;

/**
 * Asks the service every five seconds who polls the queues. A service that does not answer, or may not tell, is no problem of the
 * worker's: `createTemporal` watches whether it can be reached.
 */
export function createPolling({ client, namespace, queues, version, onCurrent, log, everyMs = 5_000 }: PollingOptions) {
  const closing = new AbortController();
  const polls = queues.flatMap((queue) =>
    (['workflow', 'activity'] as const)
      .filter((type) => type === 'activity' || queue.hasWorkflows)
      .map((type) => ({ ...queue, type, seenAtMs: 0 })),
  );
  let counts: QueuePollers[] | undefined;
  let problem: string | undefined;
  let routing: Routing | undefined;
  let watching: Promise<void> | undefined;

  async function describe({ taskQueue, type }: (typeof polls)[number]) {
    const { pollers, versioningInfo } = await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: queueTypes[type],
      }),
    );
    const live = (pollers ?? []).filter(
      ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < livePollMs,
    );
    return { live, versions: versioningInfo ?? {} };
  }

  function note(now: Routing): void {
    if (now === routing) return;
    routing = now;
    if (now === 'none') log.warn({ version, remedy: setCurrentCommand(version!) }, routingTexts[now]);
    else log.info({ version }, routingTexts[now]);
    if (now === 'current') onCurrent?.();
  }

  async function look(identity: string): Promise<void> {
    const before = problem;
    try {
      const found = await Promise.all(polls.map(async (poll) => ({ poll, ...(await describe(poll)) })));
      counts = found.map(({ poll: { taskQueue, type }, live, versions }) => {
        const count = live.filter(({ deploymentOptions }) =>
          isOfCurrent(versions, deploymentOptions ?? undefined),
        ).length;
        return { queue: taskQueue, type, count };
      });
      for (const { poll, live } of found)
        if (live.some((poller) => poller.identity === identity)) poll.seenAtMs = performance.now();
      const own = found.find(({ poll }) => poll.isTaken);
      if (version !== undefined && own !== undefined) note(routingOf(version, own.versions));
      const unseen = polls.find(({ isTaken, seenAtMs }) => isTaken && performance.now() - seenAtMs >= unseenMs);
      problem = unseen === undefined ? undefined : `Temporal sees no poll of this worker at ${unseen.taskQueue}`;
    } catch (error) {
      counts = undefined;
      problem = grpcErrorOf(error)?.code === notFound ? 'Temporal has no such namespace' : undefined;
    }
    if (problem === before) return;
    if (problem === undefined) log.info({ namespace }, 'the worker is seen to poll');
    else log.warn({ namespace, reason: problem }, 'the worker gets no tasks');
  }

  async function run(identity: string): Promise<void> {
    for (const poll of polls) poll.seenAtMs = performance.now();
    while (!closing.signal.aborted) {
      await look(identity);
      await sleep(everyMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  return {
    /** Begins to look for the pollers of the worker of this name. */
    watch: (identity: string) => void (watching ??= run(identity)),
    /** Why the worker gets no tasks; undefined: it polls each of its queues, or the service does not tell. */
    problem: () => problem,
    /** Undefined: not known now. */
    pollers: (): readonly QueuePollers[] | undefined => counts,
    /** Undefined: not known yet, or the worker has no version. */
    routing: () => routing,
    async close(): Promise<void> {
      closing.abort();
      await watching;
    },
  };
}
