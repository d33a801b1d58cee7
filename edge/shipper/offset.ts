import type { JournalOffset } from '#db/clicks/ingest.ts';

/** Whether two places in a journal are the same. */
export function isSame(a: JournalOffset, b: JournalOffset): boolean {
  return a.segment === b.segment && a.position === b.position;
}

/** Whether a place in a journal lies before another. */
export function isBefore(a: JournalOffset, b: JournalOffset): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.position < b.position);
}
