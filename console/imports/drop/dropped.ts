import { useSyncExternalStore } from 'react';

// A file cannot stand in an address: it waits here for the page of a new import.

let dropped: File | undefined;
const listeners = new Set<() => void>();

/** Gives a file to the page of a new import; undefined takes it away. */
export function setDropped(file: File | undefined): void {
  dropped = file;
  for (const listener of listeners) listener();
}

/** @returns the file that was dropped or picked last. */
export function useDropped(): File | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => dropped,
  );
}

/** Whether something that is dragged may be a file of links: pictures are uploaded elsewhere. */
export function isFileDrag(data: DataTransfer | null): boolean {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === 'file');
  return items.length > 0 && !items.some(({ type }) => type.startsWith('image/'));
}
