import { defineQuery, log, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { ScanActivities, ScanOutcome } from '#activities/threats/scan.ts';
import { domainIdKey, linkIdKey, processName } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { hostOf, scanSummary, summaryHosts } from '#core/threats/scan-summary.ts';
import { activitiesOf, describeStart, type Policy, requireActivityFailure, showInLists } from '#workflows/shared.ts';

/** A destination whose verdict is wanted; `linkId` or `domainId` leads there. */
interface ScanTarget {
  destinationId: string;
  linkId: string | null;
  domainId: string | null;
  organizationId: string;
  urlHash: string;
  url: string;
}

/**
 * The workflow that looks up to 40 destinations of one organization up. @param scanId a new UUID. @param isBulk no caller waits for the
 * verdicts.
 */
export function startOfScan(
  scanId: string,
  targets: readonly ScanTarget[],
  { isBulk = false }: { isBulk?: boolean } = {},
): WorkflowStart {
  const hosts = summaryHosts(targets.map((target) => target.url));
  const linkIds = distinct(targets.flatMap((target) => target.linkId ?? []));
  const domainIds = distinct(targets.flatMap((target) => target.domainId ?? []));
  const input: ThreatScanInput = {
    destinationIds: distinct(targets.map((target) => target.destinationId)),
    urlHashes: distinct(targets.map((target) => target.urlHash)),
    hosts,
    isBulk,
  };
  return describeStart({
    type: 'threatScan',
    id: `threat-scan/${scanId}`,
    input,
    summary: scanSummary(targets.length, hosts),
    organizationIds: distinct(targets.map((target) => target.organizationId)),
    priority: isBulk ? 'background' : 'awaited',
    name: processName(distinct(targets.map(({ url }) => hostOf(url)))),
    attributes: [
      ...(linkIds.length > 0 ? [{ key: linkIdKey, value: linkIds }] : []),
      ...(domainIds.length > 0 ? [{ key: domainIdKey, value: domainIds }] : []),
    ],
    state: 'scanning' satisfies ThreatScanState,
    // A call of the API may wait for the verdict: the first task comes back with the answer to the start.
    options: { requestEagerStart: !isBulk },
  });
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/** What a scan is about: ids and hashes; URLs stay in the database. */
export interface ThreatScanInput {
  /** A few host names, for operators. */
  hosts: string[];
  /** At most 40. */
  destinationIds: string[];
  /** Hexadecimal SHA-256 of each distinct URL. */
  urlHashes: string[];
  /** Whether no caller waits for it. */
  isBulk: boolean;
}

/** `postponed`: some URLs had no answer in time; they are asked about again in another scan, by the time their rows say. */
type ThreatScanState = 'scanning' | 'completed' | 'postponed';

type ThreatScanResult = ScanOutcome & { state: ThreatScanState };

/**
 * Asks a service for many URLs. One try is short, a dead worker is noticed by its missing heartbeat, and tries go on for some minutes;
 * the activity names the gaps itself, by what the service hinted, and ends before the last of these limits by putting off what is left.
 * The gaps here are for tries whose worker died.
 */
const policy: Policy = {
  startToCloseTimeout: '45s',
  heartbeatTimeout: '5s',
  scheduleToCloseTimeout: '5m',
  retry: { initialInterval: '500ms', backoffCoefficient: 3, maximumInterval: '20s' },
};

const scanStateQuery = defineQuery<ThreatScanState>('state');

/** Asks which of some destinations are dangerous. The verdicts go into their rows; the workflow keeps only counts. */
export async function threatScan(input: ThreatScanInput): Promise<ThreatScanResult> {
  let state: ThreatScanState = 'scanning';
  setHandler(scanStateQuery, () => state, { description: 'scanning, completed or postponed.' });
  const count = input.urlHashes.length;
  const urls = count === 1 ? '1 URL' : `${count} URLs`;
  setCurrentDetails(`Asking about ${urls}.`);
  const queue = input.isBulk ? 'bulk-scans' : 'scans';
  const { scanUrls } = activitiesOf<ScanActivities>({ ...policy, queue }, `Look up ${urls}: ${input.hosts.join(', ')}`);

  let result: ScanOutcome = { answered: 0, flagged: 0, open: count };
  try {
    result = await scanUrls({ urlHashes: input.urlHashes, destinationIds: input.destinationIds });
  } catch (error) {
    requireActivityFailure(error);
    // The relay's reconciler finds the overdue rows again.
    log.warn('the scan was given up for now', { urls: count });
  }
  state = result.open === 0 ? 'completed' : 'postponed';
  setCurrentDetails(describe(result));
  showInLists(
    result.open === 0
      ? { state }
      : { state, lastError: 'no answer of the scanner', nextStep: 'another scan', nextAt: result.nextAt },
  );
  return { state, ...result };
}

function describe({ answered, flagged, open, nextAt }: ScanOutcome): string {
  const outcome = `${answered} answered, ${flagged} of them with threats, ${open} put off`;
  if (open === 0) return `${outcome}.`;
  const when = nextAt === undefined ? 'within minutes' : `at ${nextAt}`;
  return `${outcome}. Another scan asks about ${open === 1 ? 'it' : 'them'} again ${when}, by itself; the log of the worker says why.`;
}
