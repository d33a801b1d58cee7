import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTimeZone, localDays } from '#core/stats/days.ts';

const at = (text: string): number => Date.parse(text);
const hours = (range: { startMs: number; endMs: number }): number => (range.endMs - range.startMs) / 3_600_000;
const daysOf = (start: string, end: string, zone: string) => localDays({ startMs: at(start), endMs: at(end) }, zone);

describe('isTimeZone', () => {
  test.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
    'knows %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );
  test.each(['', ' ', 'Mars/Olympus', '+05:30', '-08:00', 'Europe/Berlin;', 'Europe / Berlin', '../etc'])(
    'refuses %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});

describe('localDays', () => {
  test('clips the first and the last day to the range', () => {
    expect(daysOf('2024-05-06T10:00:00Z', '2024-05-08T01:00:00Z', 'UTC')).toEqual([
      { date: '2024-05-06', startMs: at('2024-05-06T10:00:00Z'), endMs: at('2024-05-07T00:00:00Z') },
      { date: '2024-05-07', startMs: at('2024-05-07T00:00:00Z'), endMs: at('2024-05-08T00:00:00Z') },
      { date: '2024-05-08', startMs: at('2024-05-08T00:00:00Z'), endMs: at('2024-05-08T01:00:00Z') },
    ]);
  });

  test('has no day for an empty range, and none that begins at its end', () => {
    expect(daysOf('2024-05-06T00:00:00Z', '2024-05-06T00:00:00Z', 'UTC')).toEqual([]);
    expect(daysOf('2024-05-06T00:00:00Z', '2024-05-07T00:00:00Z', 'UTC').map(({ date }) => date)).toEqual([
      '2024-05-06',
    ]);
  });

  test.each([
    ['Europe/Berlin', '2024-03-31', '2024-03-30T23:00:00Z', 23],
    ['Europe/Berlin', '2024-10-27', '2024-10-26T22:00:00Z', 25],
    ['Asia/Kolkata', '2024-03-31', '2024-03-30T18:30:00Z', 24],
    ['Asia/Kathmandu', '2024-03-31', '2024-03-30T18:15:00Z', 24],
    // Its clocks change by half an hour.
    ['Australia/Lord_Howe', '2024-04-07', '2024-04-06T13:00:00Z', 24.5],
    ['Australia/Lord_Howe', '2024-10-06', '2024-10-05T13:30:00Z', 23.5],
    // Midnight is leapt over.
    ['Asia/Beirut', '2024-03-31', '2024-03-30T22:00:00Z', 23],
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00Z', 23],
    // Midnight comes twice.
    ['Asia/Beirut', '2024-10-26', '2024-10-25T21:00:00Z', 25],
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00Z', 25],
    ['Pacific/Kiritimati', '2024-01-01', '2023-12-31T10:00:00Z', 24],
  ])('in %s %s begins at %s and has %d hours', (zone, date, start, length) => {
    const days = daysOf('2023-12-25T00:00:00Z', '2025-01-05T00:00:00Z', zone);
    const day = days.find((one) => one.date === date)!;
    expect([new Date(day.startMs).toISOString(), hours(day)]).toEqual([new Date(start).toISOString(), length]);
  });

  test('knows no day that a zone left out', () => {
    const days = daysOf('2011-12-28T10:00:00Z', '2012-01-01T10:00:00Z', 'Pacific/Apia');
    expect(days.map(({ date }) => date)).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01']);
  });

  test('covers a range without gap or overlap, by dates in order, each click on the date its clock shows', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const times = fc.integer({ min: at('2015-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    fc.assert(
      fc.property(
        zones,
        times,
        fc.integer({ min: 1, max: 40 * 86_400_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (zone, startMs, length, share) => {
          const range = { startMs, endMs: startMs + length };
          const days = localDays(range, zone);
          expect(days[0]!.startMs).toBe(range.startMs);
          expect(days.at(-1)!.endMs).toBe(range.endMs);
          for (const [index, day] of days.slice(1).entries()) {
            expect(day.startMs).toBe(days[index]!.endMs);
            expect(day.date > days[index]!.date).toBe(true);
          }
          const clickedAt = startMs + Math.floor(share * (length - 1));
          const day = days.find((one) => one.startMs <= clickedAt && clickedAt < one.endMs)!;
          const format = new Intl.DateTimeFormat('en-CA', {
            timeZone: zone,
            year: 'numeric',
            month: '2-digit',
            day: '2-digit',
          });
          expect(day.date).toBe(format.format(clickedAt));
        },
      ),
      { numRuns: 300 },
    );
  });
});
