import { expect, test } from 'vitest';
import { readable } from '#scripts/supervisor/output.ts';

const time = new Date(2026, 10, 21, 9, 5, 7).getTime();

test('a JSON log line becomes a readable line', () => {
  const line = { level: 30, time, process: 'api', method: 'GET', route: '/short-link/:id', ms: 12, msg: 'answered' };
  expect(readable(JSON.stringify(line))).toBe('09:05:07 info  answered method=GET route=/short-link/:id ms=12');
  const hard = { level: 40, time, reason: 'no answer: "x"', names: ['a', 'b'], none: null, msg: 'careful' };
  expect(readable(JSON.stringify(hard))).toBe(
    String.raw`09:05:07 warn  careful reason="no answer: \"x\"" names=["a","b"] none=null`,
  );
});

test('an error shows its message in its place and its frames below', () => {
  const err = {
    type: 'Error',
    message: 'it broke',
    stack: 'Error: it broke\n    at one (a.ts:1)\n    at two (b.ts:2)',
  };
  expect(readable(JSON.stringify({ level: 50, time, err, msg: 'failed' }))).toBe(
    '09:05:07 error failed err="it broke"\n         at one (a.ts:1)\n         at two (b.ts:2)',
  );
});

test('lines of Temporal’s server are read too, and lines of other kinds left as they are', () => {
  const line = { level: 'error', ts: new Date(time).toISOString(), msg: 'Not found', component: 'matching' };
  expect(readable(JSON.stringify(line))).toBe('09:05:07 error Not found component=matching');
  for (const text of ['LOG:  database system is ready', '{"level":30', '{"other":"json"}', '']) {
    expect(readable(text)).toBe(text);
  }
});
