import { describe, expect, test } from 'vitest';
import { colorNames, namedColors, nameOfColor, nearestColor } from '#console/organize/labels/colors.ts';

describe('colours of labels', () => {
  test('each named colour is found by its code in either case, and is nearest to itself', () => {
    for (const name of colorNames) {
      expect(nameOfColor(namedColors[name].toLowerCase())).toBe(name);
      expect(nearestColor(namedColors[name])).toBe(name);
    }
  });

  test.each([
    ['#ff0000', 'red'],
    ['#0000ff', 'blue'],
    ['#00c000', 'green'],
    ['#777777', 'gray'],
    ['#ffb000', 'amber'],
  ])('%s has no name and is near %s', (code, name) => {
    expect(nameOfColor(code)).toBeUndefined();
    expect(nearestColor(code)).toBe(name);
  });
});
