import type { Logger } from 'pino';
import { createThreatList } from './threat-list.ts';
import type { ThreatScanner } from './threat-scanner.ts';

/** What decides which scanner is used; names as in the configuration. */
export interface ScannerConfig {
  WEB_RISK_API_KEY?: string;
  WEB_RISK_ENDPOINT?: string;
  THREAT_LIST_FILE?: string;
}

/**
 * Opens Web Risk where a key or an endpoint is configured, the local list otherwise, and says which in the log.
 * @throws ThreatListError naming file and line when the local list is wrong.
 */
export async function createScanner(config: ScannerConfig, log: Logger): Promise<ThreatScanner> {
  const { WEB_RISK_API_KEY: apiKey, WEB_RISK_ENDPOINT: endpoint, THREAT_LIST_FILE: file } = config;
  const scanner =
    apiKey === undefined && endpoint === undefined
      ? await createThreatList({ file, log })
      : // Loaded only where it is used: the library takes half a second.
        (await import('./web-risk.ts')).createWebRisk({ apiKey, endpoint });
  log.info(`destinations are scanned by ${scanner.name}`);
  return scanner;
}
