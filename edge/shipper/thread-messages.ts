import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import type { SiteOptions } from '#core/links/site.ts';
import type { DatabaseOptions } from '#db/connection/database.ts';

/** What the shipper's thread is built from. */
export interface ThreadSetup {
  journal: { id: string; directory: string };
  /** Folder of all journals. */
  root: string;
  site: ClonedSiteOptions;
  database: ClonedDatabaseOptions;
}

// Functions cannot be sent to a thread.
export type ClonedSiteOptions = Omit<SiteOptions, 'isOwnAddress'>;
export type ClonedDatabaseOptions = Omit<DatabaseOptions, 'onError' | 'onCommitted'>;

/** How far the journal has been written, as the edge knows it. */
export interface Written {
  end: JournalOffset;
  /** Bytes in the segments before the last one. */
  before: number;
  /** Number of this report: 1, 2, … */
  report: number;
}

/** From the edge to the shipper's thread. */
export type ToThread =
  | { kind: 'start' }
  | ({ kind: 'written' } & Written)
  | ({ kind: 'count'; moment: string } & Written)
  | ({ kind: 'close'; deadlineMs: number } & Written);

/** From the shipper's thread to the edge. */
export type FromThread =
  | { kind: 'log'; level: 'info' | 'warn'; details: object; message: string }
  | { kind: 'shipped'; offset: JournalOffset }
  /** How the shipper stands, as far as the edge's report of this number says. */
  | { kind: 'state'; lagMs: number; rejected: number; report: number }
  | { kind: 'closed'; isShipped: boolean };
