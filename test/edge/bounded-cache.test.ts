import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBoundedCache } from '#edge/bounded-cache.ts';

test('holds the last values, never more than its limit, and evicts only at the limit', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), key, value: fc.nat() }),
    fc.record({ kind: fc.constantFrom('get' as const, 'peek' as const, 'delete' as const), key }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 100 }), (max, steps) => {
      const map = createBoundedCache<number>({ max, maxBytes: 1_000_000 });
      const model = new Map<string, number>();
      for (const step of steps) {
        if (step.kind === 'set') {
          map.set(step.key, step.value);
          model.set(step.key, step.value);
        } else if (step.kind === 'delete') {
          map.delete(step.key);
          model.delete(step.key);
        } else {
          const found = map[step.kind](step.key);
          if (found === undefined) model.delete(step.key);
          else expect(found).toBe(model.get(step.key));
        }
        expect(map.size).toBeLessThanOrEqual(max);
        if (step.kind === 'set') expect(map.peek(step.key)).toBe(step.value);
      }
      map.clear();
      expect(map.size).toBe(0);
    }),
  );
});

test('keeps used values and evicts values that were read once', () => {
  const map = createBoundedCache<number>({ max: 100, maxBytes: 1_000_000 });
  for (let index = 0; index < 20; index += 1) map.set(`used ${index}`, index);
  for (let index = 0; index < 10_000; index += 1) {
    map.set(`once ${index}`, index);
    for (let used = 0; used < 20; used += 1) expect(map.get(`used ${used}`)).toBe(used);
  }
  expect(map.size).toBe(100);
});

test('values and keys stay below the limit of bytes, and a value above half of it is not kept', () => {
  const map = createBoundedCache<{ bytes: number }>({ max: 1_000, maxBytes: 100_000, bytesOf: ({ bytes }) => bytes });
  for (let index = 0; index < 2_000; index += 1) {
    map.set(`key ${index}`, { bytes: index % 7_000 });
    expect(map.bytes).toBeLessThanOrEqual(100_000);
    expect(map.get(`key ${index}`)).toEqual({ bytes: index % 7_000 });
  }
  map.set('key 1999', { bytes: 90_000 });
  expect(map.get('key 1999')).toBeUndefined();
  map.set('x'.repeat(30_000), { bytes: 0 });
  expect(map.get('x'.repeat(30_000))).toBeUndefined();
  for (let index = 0; index < 2_000; index += 1) map.delete(`key ${index}`);
  expect(map.size).toBe(0);
  expect(map.bytes).toBe(0);
});
