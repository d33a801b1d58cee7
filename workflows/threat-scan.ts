import {
  ActivityFailure,
  defineQuery,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ScanActivities, ScanOutcome } from '#activities/threats/scan.ts';
import { scanPolicy } from './policies.ts';
import { stateKey } from '#core/lib/search-attributes.ts';

/** What a scan is about: ids and hashes; URLs stay in the database. */
export interface ThreatScanInput {
  /** At most 40. */
  destinationIds: string[];
  /** Hexadecimal SHA-256 of each distinct URL. */
  urlHashes: string[];
  /** A few host names, for operators. */
  hosts: string[];
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
export async function threatScan({ destinationIds, urlHashes, hosts }: ThreatScanInput): Promise<ThreatScanResult> {
  let state: ThreatScanState = 'scanning';
  setHandler(scanStateQuery, () => state, { description: 'scanning, completed or postponed.' });
  const urls = urlHashes.length === 1 ? '1 URL' : `${urlHashes.length} URLs`;
  setCurrentDetails(`Asking about ${urls}.`);
  const { scanUrls } = proxyActivities<ScanActivities>({
    ...scanPolicy,
    summary: `Look up ${urls}: ${hosts.join(', ')}`,
  });

  let result: ScanOutcome = { answered: 0, flagged: 0, open: urlHashes.length };
  try {
    result = await scanUrls({ urlHashes, destinationIds });
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    // The relay's reconciler finds the overdue rows again.
    log.warn('the scan was given up for now', { urls: urlHashes.length });
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
