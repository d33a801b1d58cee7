import { describe, expect, test } from 'vitest';
import { dayParameters, rangeOf } from '#console/app/days.ts';

describe('days of the address', () => {
  test('both days of a range count as a whole', () => {
    const { since = '', until = '' } = rangeOf({ since: '2026-03-14', until: '2026-03-14' });
    expect(Date.parse(until) - Date.parse(since)).toBe(24 * 60 * 60 * 1_000);
    expect(rangeOf({})).toEqual({ since: undefined, until: undefined });
  });

  test('a day that does not exist as text is not read', () => {
    expect(['2026-03-14', '14.3.2026', 20_260_314, ''].map((day) => dayParameters.since.read(day))).toEqual([
      '2026-03-14',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
