import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { nameKey, organizationIdKey, processName, stateKey } from '#core/lib/search-attributes.ts';
import type { Database } from '#db/connection/database.ts';
import { listThreatMailTargets, requeueOverdueThreatMail } from '#db/threats/threat-mail.ts';
import type { threatMail, ThreatMailInput, ThreatMailState } from '#workflows/threat-mail.ts';
import { createLoop } from './loop.ts';
import type { RelayCounts } from './metrics.ts';
import type { TemporalState } from './scans.ts';
import { createWaker } from './dispatcher.ts';

/** Starts the workflow that tells an organization's owner of new threats; one that is running goes on. */
export type StartThreatMail = (target: { id: string; name: string }) => Promise<void>;

/** Settings of `createThreatMailStarter`. */
export interface ThreatMailStarterOptions {
  client: Client;
  taskQueue: string;
  /** How long threats gather before they are told of in one mail. */
  gatherMs?: number;
  timeoutMs?: number;
}

const workflowType: (typeof threatMail)['name'] = 'threatMail';
const state: ThreatMailState = 'telling';

/** Makes the function that starts such a workflow, one for each organization. */
export function createThreatMailStarter({
  client,
  taskQueue,
  gatherMs = 15_000,
  timeoutMs = 5_000,
}: ThreatMailStarterOptions): StartThreatMail {
  return async ({ id: organizationId, name: organization }) => {
    const name = processName([organization]);
    const input: ThreatMailInput = { organizationId };
    await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.start<typeof threatMail>(workflowType, {
        workflowId: `threat-mail/${organizationId}`,
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        startDelay: gatherMs,
        staticSummary: `Tell the owner of ${name} of new threats`,
        typedSearchAttributes: [
          { key: organizationIdKey, value: [organizationId] },
          { key: nameKey, value: name },
          { key: stateKey, value: state },
        ],
      }),
    );
  };
}

/** What `createThreatMailRelay` is built from; the times are for tests. */
export interface ThreatMailRelayOptions {
  db: Database;
  startThreatMail: StartThreatMail;
  temporal: TemporalState;
  log: Pick<Logger, 'info' | 'warn'>;
  counts: RelayCounts;
  onError: (error: Error) => void;
  pollEveryMs: number;
  overdueEveryMs?: number;
}

/** The part of the relay that has owners told of threats. */
export interface ThreatMailRelay {
  wake(): void;
  stop(): Promise<void>;
}

/** Starts it: who is named in the outbox is told, and who should have been by now is named there again. */
export function createThreatMailRelay({
  db,
  startThreatMail,
  temporal,
  log,
  counts,
  onError,
  pollEveryMs,
  // A workflow that waits for a mail server is not asked after more often.
  overdueEveryMs = 5 * 60_000,
}: ThreatMailRelayOptions): ThreatMailRelay {
  const task = createWaker({
    sql: db,
    kind: 'threat-mail',
    listTargets: listThreatMailTargets,
    wakeTarget: startThreatMail,
    temporal,
    log,
    counts,
  });
  const starts = createLoop({ task, everyMs: pollEveryMs, onError });
  const overdue = createLoop({ task: reconcile, everyMs: overdueEveryMs, onError });

  async function reconcile(): Promise<boolean> {
    if (!temporal.isReachable()) return false;
    const requeued = await requeueOverdueThreatMail(db);
    counts.requeued += requeued;
    if (requeued > 0) starts.wake();
    return false;
  }

  return {
    wake: () => starts.wake(),
    async stop() {
      await Promise.all([starts.stop(), overdue.stop()]);
    },
  };
}
