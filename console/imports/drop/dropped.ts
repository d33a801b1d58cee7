import { createStore } from '#console/ui/browser/store.ts';

// A file cannot stand in an address: it waits here for the page of a new import.

const dropped = createStore<File | undefined>(undefined);

/** Gives a file to the page of a new import; undefined takes it away. */
export const setDropped = dropped.set;

/** Takes a file away, unless the person has dropped another one since. */
export function takeAway(file: File): void {
  if (dropped.get() === file) dropped.set(undefined);
}

/** @returns the file that was dropped or picked last. */
export const useDropped = dropped.use;

/** Whether something that is dragged may be a file of links: pictures are uploaded elsewhere. */
export function isFileDrag(data: DataTransfer | null): boolean {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === 'file');
  return items.length > 0 && !items.some(({ type }) => type.startsWith('image/'));
}
