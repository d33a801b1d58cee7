import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase } from '#core/lib/text/fold-case.ts';

describe('foldCase', () => {
  it.each([
    ['News', 'NEWS'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ss'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['é', 'E\u0301'],
    ['K', '\u212a'],
    ['ﬁ', 'FI'],
  ])('takes %s and %s for the same name', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other));
  });

  it.each([
    ['e', 'é'],
    ['i', 'ı'],
    ['a', 'b'],
  ])('tells %s from %s', (one, other) => {
    expect(foldCase(one)).not.toBe(foldCase(other));
  });

  it('folds ASCII text as it does beside other letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (name) => {
        expect(`${foldCase(name)}é`).toBe(foldCase(`${name}é`));
      }),
    );
  });

  it('is the same when folded twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(foldCase(foldCase(name))).toBe(foldCase(name));
      }),
    );
  });
});
