import type { ScanAnswer } from '#core/threats/answer.ts';

/** A service or list that knows dangerous URLs. */
export interface ThreatScanner extends LocalScanner {
  /** Name for logs and the Temporal UI. */
  readonly name: string;
  /**
   * Looks one URL up. The scanner has a deadline of its own.
   * @throws ScanError without an answer.
   */
  lookup(url: string, signal?: AbortSignal): Promise<ScanAnswer>;
  /** Closes connections and file watchers. */
  close(): Promise<void>;
}

/** Answers of a scanner for which no service is asked. */
export interface LocalScanner {
  /**
   * Answers without asking a service; undefined: only `lookup` can. Scanners that know nothing by themselves have no such method.
   */
  lookUpLocally?(url: string): Promise<ScanAnswer | undefined>;
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
