import { expect, test } from 'vitest';
import { addRange, countSelected, isSelected, nothing, type Selection, toggle } from '#console/links/list/selection.ts';

const all: Selection = { kind: 'all', count: 1_240, except: new Set() };

test('rows are selected one by one, and taken out again', () => {
  const one = toggle(toggle(nothing, 'a'), 'b');
  expect([countSelected(one), isSelected(one, 'a'), isSelected(one, 'c')]).toEqual([2, true, false]);
  expect(countSelected(toggle(one, 'a'))).toBe(1);
});

test('of all that were found, rows can be taken out and put back', () => {
  const without = toggle(all, 'a');
  expect([countSelected(without), isSelected(without, 'a'), isSelected(without, 'b')]).toEqual([1_239, false, true]);
  expect(countSelected(toggle(without, 'a'))).toBe(1_240);
  expect(countSelected(addRange(without, ['a', 'b']))).toBe(1_240);
});

test('a range is added to what was selected', () => {
  expect(countSelected(addRange(toggle(nothing, 'a'), ['a', 'b', 'c']))).toBe(3);
});
