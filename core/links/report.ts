/** What a visitor may report of a link. */
type ReportReason = 'phishing' | 'malware' | 'spam' | 'illegal' | 'other';

/** What staff found of a report: the link was switched off or changed, or there is nothing to be done. */
export type ReportResolution = 'acted' | 'dismissed';

/** One visitor's report. */
export interface ReportNote {
  /** ISO 8601. */
  at: string;
  reason: ReportReason;
  /** The visitor's own words; empty: none. */
  comment: string;
}
