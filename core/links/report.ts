/** What a visitor may report of a link. */
export const reportReasons = ['phishing', 'malware', 'spam', 'illegal', 'other'] as const;

export type ReportReason = (typeof reportReasons)[number];

/** What staff found: `acted`, the link was switched off or changed; `dismissed`, there is nothing to be done. */
export const reportResolutions = ['acted', 'dismissed'] as const;

export type ReportResolution = (typeof reportResolutions)[number];

/** One visitor's report. */
export interface ReportNote {
  /** ISO 8601. */
  at: string;
  reason: ReportReason;
  /** The visitor's own words; empty: none. */
  comment: string;
}

/** A comment has at most so many characters. */
export const maxReportComment = 1_000;
