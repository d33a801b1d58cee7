import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  daysOf,
  intervalOf,
  intervalsOf,
  isDate,
  isMonth,
  namedPeriod,
  nameOf,
  periodNames,
  periodSearch,
  readPeriod,
  readZone,
  shiftPeriod,
} from '#console/stats/period.ts';
import { longestMs } from '#core/stats/intervals.ts';

const today = '2026-11-23';
const dayMs = 86_400_000;
const date = fc.integer({ min: -800, max: 800 }).map((days) => addDays(today, days));

describe('readPeriod', () => {
  it.each([
    [{}, '2026-10-25', today],
    [{ period: 'day' }, today, today],
    [{ period: 'week' }, '2026-11-17', today],
    [{ from: '2026-01-01', to: '2026-01-31' }, '2026-01-01', '2026-01-31'],
    [{ from: '2026-01-31', to: '2026-01-01' }, '2026-01-01', '2026-01-31'],
    [{ from: '2026-11-01' }, '2026-11-01', today],
    [{ from: '2026-12-01' }, '2026-12-01', '2026-12-01'],
    [{ to: '2026-01-31', period: 'week' }, '2026-01-25', '2026-01-31'],
  ] as const)('reads %j', (search, from, to) => {
    expect(readPeriod(search, today)).toEqual({ from, to });
  });

  it('reads this month and all time', () => {
    expect(readPeriod({ period: 'thisMonth' }, today)).toEqual({ from: '2026-11-01', to: today });
    expect(readPeriod({ period: 'all' }, today, '2024-02-03')).toEqual({ from: '2024-02-03', to: today });
    expect(readPeriod({ period: 'all' }, today)).toEqual({ from: today, to: today });
  });

  it('reads back what the address holds for any period', () => {
    fc.assert(
      fc.property(date, fc.nat(800), (from, days) => {
        const period = { from, to: addDays(from, days) };
        expect(readPeriod(periodSearch(period, today), today)).toEqual(period);
      }),
    );
    for (const name of periodNames.filter((one) => one !== 'all'))
      expect(nameOf(readPeriod(namedPeriod(name), today), today)).toBe(name);
  });
});

describe('shiftPeriod', () => {
  it('keeps the length, lies beside the period, and never ends after today', () => {
    fc.assert(
      fc.property(fc.integer({ min: -800, max: 0 }), fc.nat(400), (ago, days) => {
        const period = { from: addDays(today, ago - days), to: addDays(today, ago) };
        fc.pre(!isMonth(period, today));
        const earlier = shiftPeriod(period, -1, today);
        expect([daysOf(earlier), addDays(earlier.to, 1)]).toEqual([daysOf(period), period.from]);
        const later = shiftPeriod(period, 1, today);
        expect(daysOf(later)).toBe(daysOf(period));
        expect(later.to <= today).toBe(true);
      }),
    );
  });
});

describe('shiftPeriod of months', () => {
  it('moves by whole months, and ends with today', () => {
    const october = { from: '2026-10-01', to: '2026-10-31' };
    expect(shiftPeriod({ from: '2026-11-01', to: today }, -1, today)).toEqual(october);
    expect(shiftPeriod(october, 1, today)).toEqual({ from: '2026-11-01', to: today });
    expect(shiftPeriod({ from: '2026-03-01', to: '2026-03-31' }, -1, today)).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    });
    expect(shiftPeriod({ from: '2026-11-01', to: today }, 1, today)).toEqual({ from: '2026-11-01', to: today });
  });
});

describe('intervals', () => {
  it('are those that the API draws the period by', () => {
    fc.assert(
      fc.property(
        date,
        fc.nat(2_000),
        fc.constantFrom('minute', 'hour', 'day', 'week', 'month'),
        (from, days, asked) => {
          const period = { from, to: addDays(from, days) };
          // A day may be longer by an hour than 24 hours.
          const lengthMs = daysOf(period) * dayMs;
          for (const interval of intervalsOf(period)) expect(lengthMs).toBeLessThanOrEqual(longestMs[interval]);
          expect(intervalsOf(period)).toContain(intervalOf(period, asked as 'day'));
          expect(intervalsOf(period)).toContain(intervalOf(period, undefined));
        },
      ),
    );
  });
});

describe('isDate and readZone', () => {
  it.each(['2026-02-30', '2026-13-01', '26-01-01', '', 'today', '2026-01-01T00:00:00Z'])('refuse %j', (text) => {
    expect(isDate(text)).toBe(false);
    expect(readZone(text)).toBeUndefined();
  });

  it('know dates and zones', () => {
    expect([isDate('2024-02-29'), readZone('Europe/Berlin')]).toEqual([true, 'Europe/Berlin']);
  });
});
