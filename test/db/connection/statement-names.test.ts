import { describe, expect, it } from 'vitest';
import { createStatementNames } from '#db/connection/entity-manager.ts';

const times = (count: number, text: string, names = createStatementNames()): (string | undefined)[] =>
  Array.from({ length: count }, () => names.nameOf(text));

describe('names of statements', () => {
  it('a statement gets its name at its fifth run, and keeps it', () => {
    const names = times(7, 'select 1');
    expect(names.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    expect(names[4]).toEqual(expect.any(String));
    expect(new Set(names.slice(4)).size).toBe(1);
  });

  it('two statements have two names', () => {
    const names = createStatementNames();
    const [one, other] = ['select 1', 'select 2'].map((text) => times(5, text, names).at(-1));
    expect(one).not.toBe(other);
  });

  it('a statement of more than 2,000 characters gets none', () => {
    expect(times(10, `select '${'a'.repeat(2_000)}'`).at(-1)).toBeUndefined();
  });

  it('at most 100 statements get one, whatever runs once or a few times', () => {
    const names = createStatementNames();
    for (let run = 0; run < 5_000; run += 1) names.nameOf(`select ${run}`);
    const named = Array.from({ length: 150 }, (_, index) => times(5, `select 'often', ${index}`, names).at(-1));
    expect(named.filter((name) => name !== undefined)).toHaveLength(100);
    expect(named.slice(0, 100)).not.toContain(undefined);
  });
});
