import { describe, expect, it } from 'vitest';
import { tooMany } from '#core/errors/errors.ts';
import { createFairLimit, type FairLimit } from '#core/limits/fair-limit.ts';
import { createWorkBudget } from '#core/limits/work-budget.ts';

/** Work that lasts until it is ended. */
function createWork(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { name, work: () => (log.push(name), promise), end: () => resolve(name), fail: () => reject(new Error(name)) };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a fair limit', () => {
  it('runs as many pieces as it has slots', async () => {
    const log: string[] = [];
    const limit = createFairLimit({ slots: 2, waiting: 5 });
    const pieces = ['a', 'b', 'c'].map((name) => createWork(log, name));
    const results = pieces.map(({ work }) => limit.run(['one'], work));
    await settle();
    expect(log).toEqual(['a', 'b']);
    for (const { end } of pieces) end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
  });

  it('gives a new group the next turn before another group’s queue', async () => {
    const log: string[] = [];
    const limit = createFairLimit({ slots: 1, waiting: 100 });
    const pieces = ['x0', 'x1', 'x2', 'x3', 'y0', 'y1', 'z0'].map((name) => createWork(log, name));
    const results = pieces.map(({ name, work }) => limit.run([name[0]!], work));
    for (const { end } of pieces) end();
    await Promise.all(results);
    expect(log).toEqual(['x0', 'x1', 'y0', 'z0', 'x2', 'y1', 'x3']);
  });

  it('shares turns between groups first, then between the members of a group', async () => {
    const log: string[] = [];
    const limit = createFairLimit({ slots: 1, waiting: 100 });
    const asks = [
      ['busy', 'held'],
      ['link', 'a', 'a0'],
      ['link', 'a', 'a1'],
      ['link', 'b', 'b0'],
      ['other', 'a', 'c0'],
      ['other', 'a', 'c1'],
    ];
    const pieces = asks.map((ask) => ({ ask, ...createWork(log, ask.at(-1)!) }));
    const results = pieces.map(({ ask, work }) => limit.run(ask.slice(0, 2), work));
    for (const { end } of pieces) end();
    await Promise.all(results);
    expect(log).toEqual(['held', 'a0', 'c0', 'b0', 'c1', 'a1']);
  });

  it('when full, refuses the newest piece of the group with the most waiting', async () => {
    const limit = createFairLimit({ slots: 1, waiting: 3 });
    const pieces = ['x0', 'x1', 'x2', 'x3', 'y0'].map((name) => createWork([], name));
    const results = pieces.map(({ name, work }) => limit.run([name[0]!], work));
    for (const { end } of pieces) end();
    const settled = await Promise.allSettled(results);
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(settled[3]).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } });
    expect(await limit.run(['x'], async () => 'again')).toBe('again');
  });

  it('bounds how many of one path wait', async () => {
    const limit = createFairLimit({ slots: 1, waiting: 10, waitingPerPath: 1 });
    const pieces = ['x0', 'x1', 'x2'].map((name) => createWork([], name));
    const results = pieces.map(({ work }) => limit.run(['x'], work));
    for (const { end } of pieces) end();
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  });

  it('frees the slot of a failed piece', async () => {
    const limit = createFairLimit({ slots: 1, waiting: 5 });
    const pieces = ['a', 'b'].map((name) => createWork([], name));
    const [first, second] = pieces.map(({ work }) => limit.run(['x'], work));
    pieces[0]!.fail();
    await expect(first).rejects.toThrow('a');
    pieces[1]!.end();
    expect(await second).toBe('b');
  });

  it('leaves slots free when a group has its share', async () => {
    const log: string[] = [];
    const limit = createFairLimit({ slots: 3, waiting: 100, perGroup: 2 });
    const pieces = ['a0', 'a1', 'a2', 'b0', 'b1'].map((name) => createWork(log, name));
    const results = pieces.map(({ name, work }) => limit.run([name[0]!], work));
    expect(log).toEqual(['a0', 'a1', 'b0']);
    pieces[3]!.end();
    await settle();
    expect(log).toEqual(['a0', 'a1', 'b0', 'b1']);
    pieces[0]!.end();
    await settle();
    expect(log).toEqual(['a0', 'a1', 'b0', 'b1', 'a2']);
    for (const { end } of pieces) end();
    await Promise.all(results);
  });

  it('refuses a piece that waits longer than its patience with the given error, and runs the rest', async () => {
    const log: string[] = [];
    const refusal = ([name]: readonly string[]) => tooMany(`Too much of ${name}.`, 7);
    const limit = createFairLimit({ slots: 1, waiting: 5, waitingPerPath: 1, patienceMs: 20, refusal });
    const pieces = ['a0', 'a1', 'a2', 'b0'].map((name) => createWork(log, name));
    const first = limit.run(['a'], pieces[0]!.work);
    const second = limit.run(['a'], pieces[1]!.work);
    const told = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too much of a.', retryAfterSeconds: 7 };
    await expect(limit.run(['a'], pieces[2]!.work)).rejects.toMatchObject(told);
    await expect(second).rejects.toMatchObject(told);
    const last = limit.run(['b'], pieces[3]!.work);
    for (const { end } of pieces) end();
    expect(await Promise.all([first, last])).toEqual(['a0', 'b0']);
    expect(log).toEqual(['a0', 'b0']);
  });

  it('passes over a group whose budget is used up, and goes on with it when its wait is over', async () => {
    const log: string[] = [];
    let waitMs = 20;
    const gates: (() => void)[] = [];
    const budget = {
      notePresence: () => undefined,
      begin: () => undefined,
      end: (name: string) => log.push(`charged ${name}`),
      waitMs: (name: string) => (name === 'greedy' ? waitMs : 0),
      addGate: (startWaiting: () => void) => (gates.push(startWaiting), () => undefined),
      callGates: () => gates[0]!(),
    };
    const limit = createFairLimit({ slots: 1, waiting: 5, budget });
    const held = limit.run(['greedy'], async () => log.push('greedy'));
    await limit.run(['victim'], async () => log.push('victim'));
    expect(log).toEqual(['victim', 'charged victim']);
    waitMs = 0;
    await held;
    expect(log).toEqual(['victim', 'charged victim', 'greedy', 'charged greedy']);
  });

  it('goes on with a group whose wait ends between two looks at its budget', async () => {
    const log: string[] = [];
    const gates: (() => void)[] = [];
    // The time passes between the two looks: at the first of them the group has to wait, at all later ones it need not.
    const waits = [1];
    const budget = {
      notePresence: () => undefined,
      begin: () => undefined,
      end: () => gates[0]!(),
      waitMs: () => waits.shift() ?? 0,
      addGate: (startWaiting: () => void) => (gates.push(startWaiting), () => undefined),
      callGates: () => gates[0]!(),
    };
    const limit = createFairLimit({ slots: 1, waiting: 5, budget });
    await Promise.all(['a', 'b'].map((name) => limit.run(['one'], async () => log.push(name))));
    expect(log).toEqual(['a', 'b']);
  });

  it('runs one piece of a group at a time beside another group, through whichever of the gates of a budget', async () => {
    const log: string[] = [];
    const budget = createWorkBudget({ perSecondMs: 1_000, burstMs: 60_000, debtMs: 1, atOnce: 1 });
    const [reads, writes] = [0, 1].map(() => createFairLimit({ slots: 2, waiting: 5, budget })) as [
      FairLimit,
      FairLimit,
    ];
    budget.notePresence('victim');
    const pieces = ['read 1', 'read 2', 'write 1', 'write 2'].map((name) => createWork(log, name));
    const done = pieces.map(({ name, work }) => (name.startsWith('read') ? reads : writes).run(['greedy'], work));
    const other = createWork(log, 'other');
    const otherDone = reads.run(['victim'], other.work);
    await settle();
    expect(log).toEqual(['read 1', 'other']);
    // The gates take turns.
    for (const [index, begun] of [
      [0, 'write 1'],
      [2, 'read 2'],
      [1, 'write 2'],
    ] as const) {
      pieces[index]!.end();
      await settle();
      expect(log.at(-1)).toBe(begun);
    }
    for (const { end } of [...pieces, other]) end();
    await Promise.all([...done, otherDone]);
    expect(log).toHaveLength(5);
  });

  it('runs several pieces at a time of a group that works alone', async () => {
    const log: string[] = [];
    const budget = createWorkBudget({ perSecondMs: 1, burstMs: 1, debtMs: 1, atOnce: 1 });
    const limit = createFairLimit({ slots: 2, waiting: 5, budget });
    budget.notePresence('one');
    const pieces = ['a', 'b'].map((name) => createWork(log, name));
    const done = pieces.map(({ work }) => limit.run(['one'], work));
    await settle();
    expect(log).toEqual(['a', 'b']);
    for (const { end } of pieces) end();
    await Promise.all(done);
  });
});
