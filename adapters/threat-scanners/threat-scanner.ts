import type { ScanAnswer } from '#core/threats/answer.ts';

/** Answers about a URL without asking a service; undefined: only a scanner's `lookup` can. */
export type LocalLookup = (url: string) => Promise<ScanAnswer | undefined>;

/** A service or list that knows dangerous URLs. */
export interface ThreatScanner {
  /** Name for logs and the Temporal UI. */
  readonly name: string;
  /**
   * Looks one URL up. The scanner has a deadline of its own.
   * @throws ScanError without an answer.
   */
  lookup(url: string, signal?: AbortSignal): Promise<ScanAnswer>;
  /** Absent where the scanner knows nothing by itself. */
  lookUpLocally?: LocalLookup;
  /** Closes connections and file watchers. */
  close(): Promise<void>;
}

/** `refused`: this URL never gets an answer; `exhausted`: the quota is used up; `unavailable`: any other failure. */
type ScanErrorReason = 'refused' | 'exhausted' | 'unavailable';

/** No answer for a URL, or no change of a list. The message never holds the URL. */
export class ScanError extends Error {
  readonly reason: ScanErrorReason;
  /** The service's Retry-After in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: ScanErrorReason, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ScanError';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
