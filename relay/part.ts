import type { Logger } from 'pino';
import type { Database } from '#db/connection/database.ts';
import type { RelayCounts } from './metrics.ts';
import type { TemporalState } from './scans.ts';

/** What every part of the relay is built from; the times are for tests. */
export interface RelayPartOptions {
  db: Database;
  temporal: TemporalState;
  log: Pick<Logger, 'info' | 'warn'>;
  counts: RelayCounts;
  onError: (error: Error) => void;
  pollEveryMs: number;
  reconcileEveryMs: number;
}

/** A part of the relay: it looks by itself, and when woken. */
export interface RelayPart {
  wake(): void;
  stop(): Promise<void>;
}
