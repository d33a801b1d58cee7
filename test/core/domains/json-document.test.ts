import { describe, expect, it } from 'vitest';
import { jsonProblem } from '#core/domains/patch.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

describe('jsonProblem', () => {
  it('accepts documents up to the bounds', () => {
    expect(jsonProblem({ a: [1, 'ü', null, true, { '': {} }], constructor: 1 })).toBeUndefined();
    expect(jsonProblem(nested(32))).toBeUndefined();
    expect(jsonProblem({ a: 'x'.repeat(131_072 - 8) })).toBeUndefined();
  });

  it.each([
    ['one byte too many', { a: 'x'.repeat(131_072 - 7) }, /131072 bytes/],
    ['one level too many', nested(33), /32 levels/],
    ['a hundred thousand levels', JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)), /32 levels/],
    ['the key __proto__', JSON.parse('{"a": [{"__proto__": {"x": 1}}]}'), /__proto__/],
    ['a NUL in a value', { a: 'x\u0000' }, /NUL/],
    ['a NUL in a key', { 'x\u0000': 1 }, /NUL/],
    ['half of a surrogate pair', ['\ud800'], /Unicode/],
    ['a number that JavaScript cannot hold', JSON.parse('{"a": 1e999}'), /1e308/],
  ])('refuses %s', (_what, value, problem) => {
    expect(jsonProblem(value)).toMatch(problem);
  });
});
