import {
  ActivityFailure,
  defineQuery,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScanActivities, ScanOutcome } from '#activities/threats/scan.ts';
import { scanPolicy } from './policies.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { sideQueueOf } from '#core/temporal/task-queues.ts';

/** What a scan is about: ids and hashes; URLs stay in the database. */
export type ThreatScanInput = WantedScan | AnsweredScan;

/** Destinations that wait for their verdicts. */
export interface WantedScan {
  /** A few host names, for operators. */
  hosts: string[];
  /** At most 40. */
  destinationIds: string[];
  /** Hexadecimal SHA-256 of each distinct URL. */
  urlHashes: string[];
  /** Whether no caller waits for it; absent in scans that a release before 0.1.0 has started. */
  isBulk?: boolean;
  batchId?: undefined;
}

/** What a release before 0.1.0 started for destinations whose verdicts were known within the call that wanted them. */
interface AnsweredScan {
  /** As in `WantedScan`. */
  hosts: string[];
  /** Row of `scan_batches` that lists the destinations. */
  batchId: string;
  /** How many destinations. */
  destinations: number;
}

/** `postponed`: some URLs had no answer in time; they are asked about again in another scan, by the time their rows say. */
export type ThreatScanState = 'scanning' | 'completed' | 'postponed';

/** How a scan ended: URLs answered, threats among them, URLs left open. */
export interface ThreatScanResult {
  state: ThreatScanState;
  answered: number;
  flagged: number;
  open: number;
  /** When those are asked about again, ISO 8601. */
  nextAt?: string;
}

/** Reads the state of a scan. */
export const scanStateQuery = defineQuery<ThreatScanState>('state');

/** Asks which of some destinations are dangerous. The verdicts go into their rows; the workflow keeps only counts. */
export async function threatScan(input: ThreatScanInput): Promise<ThreatScanResult> {
  let state: ThreatScanState = 'scanning';
  setHandler(scanStateQuery, () => state, { description: 'scanning, completed or postponed.' });
  const isAnswered = input.batchId !== undefined;
  const count = isAnswered ? input.destinations : input.urlHashes.length;
  const urls = count === 1 ? '1 URL' : `${count} URLs`;
  setCurrentDetails(isAnswered ? `Recording the verdicts of ${urls}.` : `Asking about ${urls}.`);
  const { scanUrls, recordAnswers } = proxyActivities<ScanActivities>({
    ...scanPolicy,
    ...(!isAnswered && input.isBulk !== undefined
      ? { taskQueue: sideQueueOf(workflowInfo().taskQueue, input.isBulk ? 'bulk' : 'scans') }
      : {}),
    summary: `${isAnswered ? 'Record the verdicts of' : 'Look up'} ${urls}: ${input.hosts.join(', ')}`,
  });

  let result: ScanOutcome = { answered: 0, flagged: 0, open: count };
  try {
    result = await (isAnswered
      ? recordAnswers({ batchId: input.batchId })
      : scanUrls({ urlHashes: input.urlHashes, destinationIds: input.destinationIds }));
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    // The relay's reconciler finds the overdue rows again.
    log.warn('the scan was given up for now', { urls: count });
  }
  state = result.open === 0 ? 'completed' : 'postponed';
  setCurrentDetails(describe(result));
  upsertSearchAttributes([{ key: stateKey, value: state }]);
  return { state, ...result };
}

function describe({ answered, flagged, open, nextAt }: ScanOutcome): string {
  const outcome = `${answered} answered, ${flagged} of them with threats, ${open} put off`;
  if (open === 0) return `${outcome}.`;
  const when = nextAt === undefined ? 'within minutes' : `at ${nextAt}`;
  return `${outcome}. Another scan asks about ${open === 1 ? 'it' : 'them'} again ${when}, by itself; the log of the worker says why.`;
}
