import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { hostOf, scanSummary, summaryHosts } from '#core/threats/scan-summary.ts';
import type { ScanTarget } from '#db/threats/verdicts.ts';
import {
  domainIdKey,
  linkIdKey,
  nameKey,
  organizationIdKey,
  processName,
  stateKey,
} from '#core/lib/search-attributes.ts';
import type { threatScan, ThreatScanInput, ThreatScanState } from '#workflows/threat-scan.ts';

/** A scan that Temporal has taken over. */
export interface StartedScan {
  readonly workflowId: string;
  /** Ends when the scan does, whatever came of it, or when it is no longer there; fails when that cannot be told. */
  finished(signal: AbortSignal): Promise<void>;
}

/** Starts one scan of up to 40 destinations. */
export type StartScan = (targets: readonly ScanTarget[]) => Promise<StartedScan>;

/** Settings of `createScanStarter`. */
export interface ScanStarterOptions {
  client: Client;
  taskQueue: string;
  /** Whether a worker runs on the client's connection, which then gets its first task with the answer. */
  eager: boolean;
  timeoutMs?: number;
}

// A task takes milliseconds. One that a worker took with it when it died is given to another after this, and not after the
// ten seconds that Temporal takes by itself.
const workflowTaskTimeoutMs = 3_000;
const workflowType: (typeof threatScan)['name'] = 'threatScan';
const state: ThreatScanState = 'scanning';

/** Makes the function that turns waiting destinations into a workflow that operators find by link and organization. */
export function createScanStarter({ client, taskQueue, eager, timeoutMs = 5_000 }: ScanStarterOptions): StartScan {
  return async (targets) => {
    const workflowId = `threat-scan/${uuidv7()}`;
    const hosts = summaryHosts(targets.map((target) => target.url));
    const input: ThreatScanInput = {
      destinationIds: targets.map((target) => target.destinationId),
      urlHashes: distinct(targets.map((target) => target.urlHash)),
      hosts,
    };
    const linkIds = distinct(targets.flatMap((target) => target.linkId ?? []));
    const domainIds = distinct(targets.flatMap((target) => target.domainId ?? []));
    const handle = await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.start<typeof threatScan>(workflowType, {
        workflowId,
        taskQueue,
        args: [input],
        requestEagerStart: eager,
        workflowTaskTimeout: workflowTaskTimeoutMs,
        staticSummary: scanSummary(targets.length, hosts),
        typedSearchAttributes: [
          { key: organizationIdKey, value: distinct(targets.map((target) => target.organizationId)) },
          ...(linkIds.length > 0 ? [{ key: linkIdKey, value: linkIds }] : []),
          ...(domainIds.length > 0 ? [{ key: domainIdKey, value: domainIds }] : []),
          { key: nameKey, value: processName(distinct(targets.map(({ url }) => hostOf(url)))) },
          { key: stateKey, value: state },
        ],
      }),
    );
    return {
      workflowId,
      finished: (signal) => client.withAbortSignal(signal, () => settled(handle.result())),
    };
  };
}

/** A scan that failed, was terminated or is gone has ended as well. */
async function settled(result: Promise<unknown>): Promise<void> {
  try {
    await result;
  } catch (error) {
    const names = ['WorkflowFailedError', 'WorkflowNotFoundError', 'WorkflowContinuedAsNewError'];
    if (!(error instanceof Error) || !names.includes(error.name)) throw error;
  }
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];
