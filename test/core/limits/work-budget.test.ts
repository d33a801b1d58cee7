import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWorkBudget } from '#core/limits/work-budget.ts';

/** A budget of 250 ms a second with a burst of one second, on a clock that the test moves. */
function createScene() {
  let nowMs = 0;
  const budget = createWorkBudget({
    perSecondMs: 250,
    burstMs: 1_000,
    debtMs: 1_000,
    atOnce: 1,
    monotonicMs: () => nowMs,
  });
  const work = (name: string, tookMs: number): void => {
    budget.begin(name);
    budget.end(name, tookMs);
  };
  return { budget, work, pass: (ms: number) => (nowMs += ms) };
}

describe('a work budget', () => {
  it('never lets a group wait that works alone', () => {
    const { budget, work } = createScene();
    budget.notePresence('greedy');
    work('greedy', 60_000);
    expect(budget.waitMs('greedy')).toBe(0);
  });

  it('lets a group wait beside another once its burst is used up, until its share has paid for it', () => {
    const { budget, work, pass } = createScene();
    budget.notePresence('victim');
    work('greedy', 999);
    expect(budget.waitMs('greedy')).toBe(0);
    work('greedy', 101);
    expect(budget.waitMs('greedy')).toBeCloseTo(401);
    pass(402);
    budget.notePresence('victim');
    expect(budget.waitMs('greedy')).toBe(0);
  });

  it('frees a group a second after the last call of any other', () => {
    const { budget, work, pass } = createScene();
    budget.notePresence('greedy');
    budget.notePresence('victim');
    budget.notePresence('greedy');
    work('greedy', 5_000);
    pass(999);
    expect(budget.waitMs('greedy')).toBeGreaterThan(0);
    pass(1);
    expect(budget.waitMs('greedy')).toBe(0);
  });

  it('bounds the debt of one long piece', () => {
    const { budget, work } = createScene();
    budget.notePresence('victim');
    work('greedy', 3_600_000);
    expect(budget.waitMs('greedy')).toBeCloseTo(4_001);
  });

  it('charges each group alone', () => {
    const { budget, work } = createScene();
    budget.notePresence('greedy');
    budget.notePresence('victim');
    work('greedy', 5_000);
    expect(budget.waitMs('victim')).toBe(0);
  });

  it('holds a group that waits as told to its burst, one piece and a quarter of the time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 60 }), (pieces) => {
        const { budget, work, pass } = createScene();
        let worked = 0;
        let passed = 0;
        for (const tookMs of pieces) {
          budget.notePresence('victim');
          const waitMs = budget.waitMs('greedy');
          pass(waitMs + tookMs);
          passed += waitMs + tookMs;
          worked += tookMs;
          work('greedy', tookMs);
        }
        expect(worked).toBeLessThanOrEqual(1_000 + 500 + passed / 4);
      }),
    );
  });
});
