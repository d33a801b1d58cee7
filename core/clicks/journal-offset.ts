/** A position in a journal: byte `position` of the segment with that number; segments are numbered from 1. */
export interface JournalOffset {
  readonly segment: number;
  readonly position: number;
}

export function isSame(a: JournalOffset, b: JournalOffset): boolean {
  return a.segment === b.segment && a.position === b.position;
}

export function isBefore(a: JournalOffset, b: JournalOffset): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.position < b.position);
}
