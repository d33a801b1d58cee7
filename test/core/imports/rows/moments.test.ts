import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DateOrderFinder } from '#core/imports/rows/moments.ts';
import { readMoment } from '#core/imports/rows/moments.ts';

describe('readMoment', () => {
  test.each([
    ['2020-04-01 09:08:07.123+00', '2020-04-01T09:08:07.123Z'],
    ['2020-04-01 09:08:07.123456 +0000 UTC', '2020-04-01T09:08:07.123Z'],
    ['2020-04-01 09:08:07 +0200 CEST', '2020-04-01T07:08:07.000Z'],
    ['2020/04/01 9:08', '2020-04-01T09:08:00.000Z'],
    ['15.01.2024 10:00', '2024-01-15T10:00:00.000Z'],
    ['05.03.2024', '2024-03-05T00:00:00.000Z'],
    ['Jan 2, 2026', '2026-01-02T00:00:00.000Z'],
    ['2-Jan-2026', '2026-01-02T00:00:00.000Z'],
    ['January 2nd 2026, 12:30 am', '2026-01-02T00:30:00.000Z'],
    ['Fri, 02 Jan 2026 10:00:00 GMT', '2026-01-02T10:00:00.000Z'],
    ['Fri Jan 02 2026 10:00:00 GMT-0130 (Somewhere)', '2026-01-02T11:30:00.000Z'],
    ['Tuesday, 15 Jan 2030', '2030-01-15T00:00:00.000Z'],
    ['2030-01-15T10:00:00+14:00', '2030-01-14T20:00:00.000Z'],
    ['2030-01-15 10:00 -1200', '2030-01-15T22:00:00.000Z'],
    ['2030-01-15 10:00+05:45', '2030-01-15T04:15:00.000Z'],
    ['05/13/2024 3:04 PM', '2024-05-13T15:04:00.000Z'],
    ['05/05/2024', '2024-05-05T00:00:00.000Z'],
  ])('reads %s', (text, moment) => {
    expect(readMoment(text)).toEqual(new Date(moment));
  });

  test.each([
    '2019-02-30',
    '2020-04-01 09:08 PST',
    '24/12/31',
    '13/13/2024',
    '3rd of May',
    '45306',
    '1',
    ' ',
    ...['+99:00', '+25:00', '-14:01', '+14:30', '+05:75', '+0560'].map((zone) => `2030-01-15T10:00:00${zone}`),
    'Monday, 15 Jan 2030',
    'Wed Jan 15 2030',
    'Mon, 15 Jan 2030 10:00:00 GMT',
    'Tuesdays 16 January 2030',
    '2030-01-15T24:00',
    '2030-01-15T23:60',
    '2030-01-15T23:59:60',
    '2030-01-15 13:00 PM',
    '29 Feb 2030',
  ])('does not read %j', (text) => {
    expect(readMoment(text)).toBeUndefined();
  });

  test('reads a date as browsers and mails write it, and no such date with another weekday', () => {
    const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
    const dates = fc.date({ min: new Date('1970-01-02'), max: new Date('2200-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, fc.constantFrom(...weekdays), (date, weekday) => {
        const text = date.toUTCString();
        expect(readMoment(text)).toEqual(new Date(text));
        const other = text.replace(/^.../, weekday);
        if (other !== text) expect(readMoment(other)).toBeUndefined();
      }),
    );
  });

  test('a date that may have the day or the month first has the meaning of its column', () => {
    expect(readMoment('03/05/2024')).toBe('ambiguous');
    expect(readMoment('03/05/2024', 'day-first')).toEqual(new Date('2024-05-03'));
    expect(readMoment('03-05-2024 10:00', 'month-first')).toEqual(new Date('2024-03-05T10:00Z'));
  });
});

test('a date with a day above 12 settles its column, and dates that contradict each other settle none', () => {
  const finder = new DateOrderFinder(4);
  finder.add(['01/02/2024', '31/12/2023 10:00', '12/31/2023', '31/12/2023']);
  finder.add(['02/03/2024', '01/02/2024', 'x', '12/31/2023']);
  expect(finder.orders()).toEqual([null, 'day-first', 'month-first', null]);
});
