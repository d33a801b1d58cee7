import type { Storage } from '#core/files/storage.ts';

const holdsMs = 30_000;
// No object has this key.
const absentKey = 'readiness/none.txt';

/**
 * Tells whether the storage answers, by the last check; a call begins another one where that is half a minute ago, and waits for none.
 * A role that may not list the bucket is refused absent objects: that is no fault.
 */
export function createStorageCheck(storage: Pick<Storage, 'get'>, now: () => number = Date.now): () => boolean {
  let isUp = true;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const check = async (): Promise<boolean> => {
    try {
      await storage.get(absentKey);
      return true;
    } catch (error) {
      return String((error as Error).cause).includes('(AccessDenied)');
    }
  };
  return () => {
    if (now() - askedAtMs >= holdsMs) {
      askedAtMs = now();
      void check().then((is) => (isUp = is));
    }
    return isUp;
  };
}
