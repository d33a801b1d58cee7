import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startOfDate } from '#core/stats/days.ts';
import { bucketsOf, comparedRange, comparisons, type Interval, intervals } from '#core/stats/intervals.ts';

const at = (text: string): number => Date.parse(text);
const range = (start: string, end: string) => ({ startMs: at(start), endMs: at(end) });
const iso = (ms: number): string => new Date(ms).toISOString();
const startsOf = (start: string, end: string, interval: Interval, zone = 'UTC') =>
  bucketsOf(range(start, end), interval, zone).map(({ startMs }) => iso(startMs));
const hour = 3_600_000;

const zones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/New_York',
  'Asia/Beirut',
  'America/Santiago',
  'Pacific/Apia',
];

describe('bucketsOf', () => {
  it('clips the first and the last point to the range', () => {
    expect(startsOf('2024-05-06T10:20:30Z', '2024-05-06T12:10:00Z', 'hour')).toEqual([
      '2024-05-06T10:20:30.000Z',
      '2024-05-06T11:00:00.000Z',
      '2024-05-06T12:00:00.000Z',
    ]);
    expect(startsOf('2024-05-06T10:20:30Z', '2024-05-06T10:22:00Z', 'minute')).toEqual([
      '2024-05-06T10:20:30.000Z',
      '2024-05-06T10:21:00.000Z',
    ]);
  });

  it('begins hours on the clock of the zone', () => {
    expect(startsOf('2024-05-06T00:00:00Z', '2024-05-06T02:00:00Z', 'hour', 'Asia/Kathmandu')).toEqual([
      '2024-05-06T00:00:00.000Z',
      '2024-05-06T00:15:00.000Z',
      '2024-05-06T01:15:00.000Z',
    ]);
  });

  it('names weeks by their Monday and months by their first day, also where the range begins later', () => {
    const dates = (interval: Interval) =>
      bucketsOf(range('2024-02-28T12:00:00Z', '2024-03-12T00:00:00Z'), interval, 'UTC').map(({ date }) => date);
    expect(dates('week')).toEqual(['2024-02-26', '2024-03-04', '2024-03-11']);
    expect(dates('month')).toEqual(['2024-02-01', '2024-03-01']);
  });

  it('has both hours in which a clock shows the same', () => {
    expect(startsOf('2024-10-27T00:00:00Z', '2024-10-27T03:00:00Z', 'hour', 'Europe/Berlin')).toHaveLength(3);
  });

  it('covers the range without gaps, in order, in every zone', () => {
    const steps: Record<Interval, number> = {
      minute: hour,
      hour: 40 * hour,
      day: 9_000 * hour,
      week: 9_000 * hour,
      month: 9_000 * hour,
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...intervals),
        fc.constantFrom(...zones),
        fc.integer({ min: at('2011-12-28T00:00:00Z'), max: at('2026-01-01T00:00:00Z') }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (interval, zone, startMs, part) => {
          const endMs = startMs + Math.floor(part * steps[interval]);
          const points = bucketsOf({ startMs, endMs }, interval, zone);
          expect([points[0]?.startMs ?? startMs, points.at(-1)?.endMs ?? startMs]).toEqual([startMs, endMs]);
          for (const [index, point] of points.entries()) {
            expect(point.startMs).toBeLessThan(point.endMs);
            if (index > 0) expect(point.startMs).toBe(points[index - 1]!.endMs);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('begins every later hour when the clock of the zone shows one, but where it leaps by half an hour', () => {
    const minutes = (zone: string) =>
      bucketsOf(range('2024-03-29T00:00:00Z', '2024-04-08T00:00:00Z'), 'hour', zone)
        .slice(1)
        .map(({ startMs }) =>
          new Date(startMs).toLocaleTimeString('en-GB', { timeZone: zone, minute: '2-digit', second: '2-digit' }),
        );
    for (const zone of zones) expect(new Set(minutes(zone))).toEqual(new Set(['00:00']));
  });
});

describe('comparedRange', () => {
  it('a day that has just begun is compared with the first minute of the day before', () => {
    const nowMs = Date.parse('2024-05-06T00:01:00Z');
    const before = comparedRange(range('2024-05-06T00:00:00Z', '2024-05-07T00:00:00Z'), 'previous', 'UTC', nowMs);
    expect(before).toEqual(range('2024-05-05T00:00:00Z', '2024-05-05T00:01:00Z'));
  });

  it('takes as many days before, by the clock of the zone', () => {
    // The clock of Berlin leaps on the 31st.
    const march = range('2024-03-30T23:00:00Z', '2024-04-01T22:00:00Z');
    const { startMs, endMs } = comparedRange(march, 'previous', 'Europe/Berlin', Infinity);
    expect([iso(startMs), iso(endMs)]).toEqual(['2024-03-28T23:00:00.000Z', '2024-03-30T23:00:00.000Z']);
  });

  it.each([
    [
      'a day at whose night clocks go back',
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
      '2026-10-24T22:30:00Z',
      0.5,
    ],
    ['a day in whose night clocks leap', '2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z', '2027-03-27T23:30:00Z', 0.5],
    ['a month that clocks change later', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z', '2026-10-10T10:00:00Z', 228],
    [
      'months that reach over a change',
      '2026-10-31T23:00:00Z',
      '2027-03-31T22:00:00Z',
      '2026-11-29T08:39:15Z',
      681.6542,
    ],
  ])('the running part of %s is as long as that of the period before', (_what, from, to, now, hours) => {
    const before = comparedRange(range(from, to), 'previous', 'Europe/Berlin', Date.parse(now));
    expect((before.endMs - before.startMs) / hour).toBeCloseTo(hours, 3);
  });

  it.each([
    ['previous', 'America/Santiago', '2026-09-06', '2026-09-13', '2026-08-30', '2026-09-06'],
    ['previous', 'America/Santiago', '2026-08-30', '2026-09-06', '2026-08-23', '2026-08-30'],
    ['previous', 'Africa/Cairo', '2026-04-24', '2026-04-25', '2026-04-23', '2026-04-24'],
    ['year', 'America/Santiago', '2012-09-02', '2012-09-09', '2011-09-04', '2011-09-11'],
    ['year', 'America/Santiago', '2012-08-26', '2012-09-02', '2011-08-28', '2011-09-04'],
  ] as const)(
    '%s in %s takes the days from %s to %s to those from %s to %s, though a midnight is leapt over',
    (...days) => {
      const [comparison, zone, ...dates] = days;
      const [startMs, endMs, ...before] = dates.map((date) => startOfDate(date, zone));
      const compared = comparedRange({ startMs: startMs!, endMs: endMs! }, comparison, zone, Infinity);
      expect([compared.startMs, compared.endMs]).toEqual(before);
    },
  );

  it('takes the time just before a part of a day', () => {
    const { startMs, endMs } = comparedRange(
      range('2024-05-06T10:00:00Z', '2024-05-06T13:00:00Z'),
      'previous',
      'UTC',
      Infinity,
    );
    expect([iso(startMs), iso(endMs)]).toEqual(['2024-05-06T07:00:00.000Z', '2024-05-06T10:00:00.000Z']);
  });

  it('takes the same weekdays of the year before', () => {
    const { startMs, endMs } = comparedRange(
      range('2024-05-06T00:00:00Z', '2024-05-13T00:00:00Z'),
      'year',
      'UTC',
      Infinity,
    );
    expect([iso(startMs), iso(endMs)]).toEqual(['2023-05-08T00:00:00.000Z', '2023-05-15T00:00:00.000Z']);
  });

  it('never has its end before its start, nor ends after the present start', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...comparisons),
        fc.constantFrom(...zones),
        fc.integer({ min: at('2012-06-01T00:00:00Z'), max: at('2026-01-01T00:00:00Z') }),
        fc.nat(300 * 24 * hour),
        (comparison, zone, startMs, length) => {
          const present = { startMs, endMs: startMs + length };
          const before = comparedRange(present, comparison, zone, startMs + length / 3);
          expect(before.startMs).toBeLessThanOrEqual(before.endMs);
          expect(before.endMs).toBeLessThanOrEqual(startMs);
        },
      ),
    );
  });
});
