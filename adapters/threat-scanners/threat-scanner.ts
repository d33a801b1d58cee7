import type { ThreatType } from '#core/threats/types.ts';

/** What a scanner found. An empty list: clean. The answer may be used until `expiresAt`. */
export interface ScanAnswer {
  threatTypes: ThreatType[];
  expiresAt: Date;
}

/** Whoever knows which URLs are dangerous. */
export interface ThreatScanner {
  /** Its name, for people: logs and the Temporal UI. */
  readonly name: string;
  /**
   * Asks for one URL, with a deadline of its own.
   * @throws ScanError when there is no answer.
   */
  lookup(url: string, signal?: AbortSignal): Promise<ScanAnswer>;
  /** Lets go of connections and file watchers. */
  close(): Promise<void>;
}

/** Why there is no answer: `refused`: this URL never gets one; `exhausted`: the quota is used up; `unavailable`: all else. */
type ScanErrorReason = 'refused' | 'exhausted' | 'unavailable';

/** No answer for a URL. The message never holds the URL. */
export class ScanError extends Error {
  readonly reason: ScanErrorReason;
  /** How long the service asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: ScanErrorReason, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ScanError';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
