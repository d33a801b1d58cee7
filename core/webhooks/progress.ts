/** Signal by which a pump tells its workflow how it gets on. */
export const progressSignalName = 'progress';

/** How a pump that sends gets on. */
export interface WebhookProgress {
  /** ISO 8601. */
  at: string;
  /** Attempts of this pump: with a 2xx, and others. */
  delivered: number;
  failed: number;
  /** Attempts a second since the report before. */
  perSecond: number;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** Since when the oldest of them has been due, ISO 8601; null: none is. */
  oldestDueAt: string | null;
}
