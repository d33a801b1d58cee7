import { afterEach, expect, test, vi } from 'vitest';
import { callerName } from '#console/i18n/nouns.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['de', 'Erased person', 'Gelöschte Person'],
  ['de', 'Erased', 'Gelöscht'],
  ['de', 'Ada', 'Ada'],
  ['de', null, null],
  ['en', 'Erased person', 'Erased person'],
])('in %s a caller called %s is shown as %s', (lang, name, shown) => {
  vi.stubGlobal('document', { documentElement: { lang } });
  expect(callerName(name)).toBe(shown);
});
