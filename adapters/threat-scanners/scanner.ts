import type { Logger } from 'pino';
import type { ThreatLists } from '#core/threats/threat-lists.ts';
import { createListLookup } from './list-lookup.ts';
import { createThreatList, type ThreatList, ThreatListError } from './threat-list.ts';
import type { LocalLookup, ThreatScanner } from './threat-scanner.ts';
import type { WebRiskClient } from './web-risk-client.ts';

const dayMs = 24 * 60 * 60 * 1_000;

interface ScannerConfig {
  WEB_RISK_API_KEY?: string;
  WEB_RISK_ENDPOINT?: string;
  WEB_RISK_MODE: 'lookup' | 'lists';
  THREAT_LIST_FILE?: string;
  THREAT_RESCAN_PER_DAY: number;
}

/** What answers changes of threat lists. */
export type ThreatListSource = Pick<WebRiskClient, 'computeDiff'>;

/** The kind of a scanner that asks Web Risk about each URL. */
export const webRiskKind = 'web-risk';
/** The kind of a scanner that uses Web Risk's lists. */
export const listsKind = 'web-risk-lists';

interface Scanning {
  scanner: ThreatScanner;
  /** What the scanner goes by: `web-risk`, `web-risk-lists`, or `list` and the SHA-256 of the local list. */
  kind(): string;
  /** Undefined: the scanner uses no lists of Web Risk. */
  listSource: ThreatListSource | undefined;
}

// Less than the interval of rescans: a new link to a URL that a rescan has left out is scanned by itself.
const cleanForMs = ({ THREAT_RESCAN_PER_DAY: perDay }: ScannerConfig): number => (0.8 * dayMs) / perDay;
const hasWebRisk = ({ WEB_RISK_API_KEY: apiKey, WEB_RISK_ENDPOINT: endpoint }: ScannerConfig): boolean =>
  apiKey !== undefined || endpoint !== undefined;
const kindOf = (list: ThreatList): string => `list ${list.sha256()}`;

/**
 * Web Risk where a key or an endpoint is configured, otherwise the local list. Logs which one.
 * @param lists the process's threat lists, for Web Risk in the mode `lists`.
 * @throws ThreatListError with setting, file and line of a mistake in the local list.
 */
export async function createScanner(config: ScannerConfig, lists: ThreatLists, log: Logger): Promise<Scanning> {
  const scanning = await chooseScanner(config, lists, log);
  log.info(`destinations are scanned by ${scanning.scanner.name}`);
  return scanning;
}

async function chooseScanner(config: ScannerConfig, lists: ThreatLists, log: Logger): Promise<Scanning> {
  if (!hasWebRisk(config)) {
    const scanner = await createThreatList({ file: config.THREAT_LIST_FILE, log }).catch((error: Error) => {
      throw error instanceof ThreatListError ? new ThreatListError(`THREAT_LIST_FILE: ${error.message}`) : error;
    });
    return { scanner, kind: () => kindOf(scanner), listSource: undefined };
  }
  const options = { apiKey: config.WEB_RISK_API_KEY, endpoint: config.WEB_RISK_ENDPOINT };
  // Loaded only where they are used: the library takes half a second.
  if (config.WEB_RISK_MODE !== 'lists') {
    const { createWebRisk } = await import('./web-risk.ts');
    const scanner = createWebRisk({ ...options, cleanForMs: cleanForMs(config) });
    return { scanner, kind: () => webRiskKind, listSource: undefined };
  }
  const { createWebRiskClient } = await import('./web-risk-client.ts');
  const { createWebRiskLists } = await import('./web-risk-lists.ts');
  const client = createWebRiskClient(options);
  const scanner = createWebRiskLists({ client, lists, cleanForMs: cleanForMs(config) });
  return { scanner, kind: () => listsKind, listSource: client };
}

/**
 * The lookup of processes that ask no service: it answers by what the workers go by, and only where this process has the same.
 * Its own configuration does not tell: only workers need a key of Web Risk. A local list that cannot be read is no reason not to
 * start: then scans answer later, by the list of the worker.
 * @param kindOfWorkers the kind that all workers have; undefined: not known, or they differ.
 */
export async function createLocalLookup(
  config: ScannerConfig,
  lists: ThreatLists,
  kindOfWorkers: () => string | undefined,
  log: Logger,
): Promise<LocalLookup> {
  const list = hasWebRisk(config) ? undefined : await readList(config.THREAT_LIST_FILE, log);
  const lookUpInLists = createListLookup(lists, cleanForMs(config));
  return async (url) => {
    const kind = kindOfWorkers();
    if (kind === listsKind) return lookUpInLists(url);
    const answer = await list?.lookUpLocally(url);
    // Afterwards: the list may have been read again.
    return list !== undefined && kind === kindOf(list) ? answer : undefined;
  };
}

async function readList(file: string | undefined, log: Logger): Promise<ThreatList | undefined> {
  try {
    return await createThreatList({ file, log });
  } catch (error) {
    if (!(error instanceof ThreatListError)) throw error;
    log.warn({ reason: error.message }, 'the threat list cannot be read here; calls wait for the scans of the worker');
    return undefined;
  }
}
