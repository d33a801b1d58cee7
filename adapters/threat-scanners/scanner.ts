import type { Logger } from 'pino';
import { createThreatList } from './threat-list.ts';
import type { ThreatScanner } from './threat-scanner.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** What decides which scanner is used; names as in the configuration. */
interface ScannerConfig {
  WEB_RISK_API_KEY?: string;
  WEB_RISK_ENDPOINT?: string;
  THREAT_LIST_FILE?: string;
  THREAT_RESCAN_PER_DAY?: number;
}

/**
 * Opens Web Risk where a key or an endpoint is configured, the local list otherwise, and says which in the log.
 * @throws ThreatListError naming file and line when the local list is wrong.
 */
export async function createScanner(config: ScannerConfig, log: Logger): Promise<ThreatScanner> {
  const {
    WEB_RISK_API_KEY: apiKey,
    WEB_RISK_ENDPOINT: endpoint,
    THREAT_LIST_FILE: file,
    THREAT_RESCAN_PER_DAY: perDay = 1,
  } = config;
  // Somewhat less than the gap between two rescans: a new link to a URL that one has left out is scanned by itself.
  const cleanForMs = (0.8 * dayMs) / perDay;
  const scanner =
    apiKey === undefined && endpoint === undefined
      ? await createThreatList({ file, log })
      : // Loaded only where it is used: the library takes half a second.
        (await import('./web-risk.ts')).createWebRisk({ apiKey, endpoint, cleanForMs });
  log.info(`destinations are scanned by ${scanner.name}`);
  return scanner;
}
