import { setDropped } from '#console/imports/drop/dropped.ts';

// Files of imports in this browser, so that their failed rows can be mended: the API keeps no field of a row that is done.

const databaseName = 'waymark-imports';
const storeName = 'files';
// A file has up to 20 MiB.
const keptFiles = 5;

interface KeptFile {
  /** Of the import. */
  id: string;
  name: string;
  blob: Blob;
  keptAt: number;
}

const inMemory = new Map<string, KeptFile>();

/** Keeps the file of an import, beside those of the last few; where the browser refuses, until the tab is closed. */
export async function keepFile(id: string, name: string, blob: Blob): Promise<void> {
  const kept = { id, name, blob, keptAt: Date.now() };
  inMemory.set(id, kept);
  try {
    const store = await openStore('readwrite');
    const all = (await done(store.getAll())) as KeptFile[];
    const old = all.toSorted((one, other) => other.keptAt - one.keptAt).slice(keptFiles - 1);
    for (const file of old) store.delete(file.id);
    await done(store.put(kept));
  } catch {
    // Private windows, or no room left.
  }
}

/** The file of an import; undefined: this browser does not have it. */
export async function findFile(id: string): Promise<{ name: string; blob: Blob } | undefined> {
  const kept = inMemory.get(id);
  if (kept !== undefined) return kept;
  try {
    return (await done((await openStore('readonly')).get(id))) as KeptFile | undefined;
  } catch {
    return undefined;
  }
}

async function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open(databaseName, 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(storeName, { keyPath: 'id' }));
  const database = await done(opening);
  const transaction = database.transaction(storeName, mode);
  for (const end of ['complete', 'abort']) transaction.addEventListener(end, () => database.close());
  return transaction.objectStore(storeName);
}

/** Forgets all files: the next person at this browser may be another one. */
export async function forgetFiles(): Promise<void> {
  setDropped(undefined);
  inMemory.clear();
  await done(indexedDB.deleteDatabase(databaseName));
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps no files.')));
  });
}
