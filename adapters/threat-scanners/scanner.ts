import type { Logger } from 'pino';
import { createThreatList, ThreatListError } from './threat-list.ts';
import type { ThreatScanner } from './threat-scanner.ts';

const dayMs = 24 * 60 * 60 * 1_000;

interface ScannerConfig {
  WEB_RISK_API_KEY?: string;
  WEB_RISK_ENDPOINT?: string;
  THREAT_LIST_FILE?: string;
  THREAT_RESCAN_PER_DAY?: number;
}

/**
 * Web Risk where a key or an endpoint is configured, otherwise the local list. Logs which one.
 * @throws ThreatListError with file and line of a mistake in the list.
 */
export async function createScanner(config: ScannerConfig, log: Logger): Promise<ThreatScanner> {
  const {
    WEB_RISK_API_KEY: apiKey,
    WEB_RISK_ENDPOINT: endpoint,
    THREAT_LIST_FILE: file,
    THREAT_RESCAN_PER_DAY: perDay = 1,
  } = config;
  // Less than the interval of rescans: a new link to a URL that a rescan has left out is scanned by itself.
  const cleanForMs = (0.8 * dayMs) / perDay;
  const scanner =
    apiKey === undefined && endpoint === undefined
      ? await createThreatList({ file, log })
      : // Loaded only where it is used: the library takes half a second.
        (await import('./web-risk.ts')).createWebRisk({ apiKey, endpoint, cleanForMs });
  log.info(`destinations are scanned by ${scanner.name}`);
  return scanner;
}

/**
 * The scanner for processes that ask no service; undefined where only a service knows the answers. A list that cannot be read is
 * no reason not to start: then scans answer later, by the list of the worker.
 */
export async function createLocalScanner(config: ScannerConfig, log: Logger): Promise<ThreatScanner | undefined> {
  if (config.WEB_RISK_API_KEY !== undefined || config.WEB_RISK_ENDPOINT !== undefined) return undefined;
  try {
    return await createThreatList({ file: config.THREAT_LIST_FILE, log });
  } catch (error) {
    if (!(error instanceof ThreatListError)) throw error;
    log.warn({ reason: error.message }, 'the threat list cannot be read here; calls wait for the scans of the worker');
    return undefined;
  }
}
