import { expect, test } from 'vitest';
import { createFormat } from '#console/i18n/format.ts';

const en = createFormat('en');
const de = createFormat('de');
// Moments of the machine's own time zone, as the console shows them.
const now = new Date(2026, 10, 29, 10, 40);

test('a day is named by the calendar', () => {
  const tomorrowNight = new Date(2026, 10, 30, 23, 59);
  expect(en.relative(tomorrowNight, now)).toBe('tomorrow');
  expect(de.relative(tomorrowNight, now)).toBe('morgen');
  expect(en.relative(new Date(2026, 11, 1, 0, 1), now)).toBe('in 2 days');
  expect(en.relative(new Date(2026, 10, 28, 9, 0), now)).toBe('yesterday');
  expect(en.relative(new Date(2026, 10, 27, 23, 0), now)).toBe('2 days ago');
  expect(en.relative(new Date(2026, 10, 30, 9, 0), now)).toBe('in 22 hours');
});

test('a distance counts whole units alone', () => {
  expect(en.relative(new Date(2023, 4, 12), now)).toBe('3 years ago');
  expect(en.relative(new Date(2024, 2, 1), now)).toBe('2 years ago');
  expect(en.relative(new Date(2025, 10, 30), now)).toBe('11 months ago');
  expect(en.relative(new Date(2025, 10, 29), now)).toBe('last year');
  expect(en.relative(new Date(2026, 10, 16, 9), now)).toBe('last week');
  expect(en.relative(now.getTime() - 119_000, now)).toBe('1 minute ago');
  expect(en.relative(now, now)).toBe('now');
});

test('what is stored to the hour is told in hours', () => {
  expect(en.agoInHours(new Date(2026, 10, 29, 10, 23), now)).toBe('this hour');
  expect(en.agoInHours(new Date(2026, 10, 29, 8, 0), now)).toBe('2 hours ago');
});
