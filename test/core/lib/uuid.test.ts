import { validate, version } from 'uuid';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { uuidv7 } from '#core/lib/uuid.ts';

const msOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('uuidv7', () => {
  afterEach(() => void vi.useRealTimers());

  test('ids are UUIDs of version 7, each greater than the one before', () => {
    const ids = Array.from({ length: 2_000 }, () => uuidv7());
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('an id names the millisecond that it was made in', () => {
    const before = Date.now();
    const id = uuidv7();
    expect(msOf(id)).toBeGreaterThanOrEqual(before);
    expect(msOf(id)).toBeLessThanOrEqual(Date.now());
  });

  test('ids keep their order while the clock is set back', () => {
    vi.useFakeTimers({ now: Date.now() + 60_000 });
    const first = uuidv7();
    vi.setSystemTime(Date.now() - 30_000);
    const next = uuidv7();
    expect(next > first).toBe(true);
    expect(msOf(next)).toBe(msOf(first));
  });

  test('no two ids have the same random part', () => {
    const parts = Array.from({ length: 1_000 }, () => uuidv7().slice(-10));
    expect(new Set(parts).size).toBe(parts.length);
  });
});
