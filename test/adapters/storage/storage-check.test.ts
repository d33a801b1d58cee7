import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStorageCheck } from '#adapters/storage/storage-check.ts';
import { StorageError } from '#core/files/storage.ts';

test('a storage is up until a check fails, and is asked once in half a minute', async () => {
  let nowMs = 0;
  let asked = 0;
  let fault: Error | undefined;
  const get = async () => {
    asked += 1;
    if (fault !== undefined) throw new StorageError(fault);
    return undefined;
  };
  const isUp = createStorageCheck({ get }, () => nowMs);
  const afterCheck = async (): Promise<boolean> => {
    nowMs += 30_000;
    isUp();
    await setImmediate();
    return isUp();
  };
  expect(await afterCheck()).toBe(true);
  fault = new Error('The bucket does not exist.');
  nowMs += 29_999;
  expect([isUp(), asked]).toEqual([true, 1]);
  expect(await afterCheck()).toBe(false);
  // The role may not list the bucket, which then does not tell whether the object is there.
  fault = new Error('The storage answered GET with 403 (AccessDenied).');
  expect(await afterCheck()).toBe(true);
  fault = new Error('The storage answered GET with 403 (InvalidAccessKeyId).');
  expect(await afterCheck()).toBe(false);
  fault = undefined;
  expect(await afterCheck()).toBe(true);
});
