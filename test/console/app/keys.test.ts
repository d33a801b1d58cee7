import { expect, test } from 'vitest';
import { keyName } from '#console/app/keys.ts';

const up = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

test.each([
  [{ key: 'c' }, 'c'],
  [{ key: 'K', ctrlKey: true, shiftKey: false }, 'mod+k'],
  [{ key: 'k', metaKey: true }, 'mod+k'],
  [{ key: 'X', shiftKey: true }, 'shift+x'],
  // The sign is on Shift on some keyboards.
  [{ key: '?', shiftKey: true }, '?'],
  [{ key: '?' }, '?'],
  [{ key: 'Enter', ctrlKey: true }, 'mod+Enter'],
  [{ key: 'ArrowDown', shiftKey: true }, 'shift+ArrowDown'],
  [{ key: 'a', altKey: true }, 'alt+a'],
])('the press %j is named %s', (press, name) => {
  expect(keyName({ ...up, ...press })).toBe(name);
});
