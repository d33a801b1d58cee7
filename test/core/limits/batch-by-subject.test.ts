import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchBySubject } from '#core/limits/batch-by-subject.ts';

describe('batchBySubject', () => {
  it('grants exactly the available number, first come first served, with one call under way per subject', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.array(fc.nat(3), { maxLength: 40 }), async (available, pauses) => {
        let left = available;
        let underWay = 0;
        const calls: number[] = [];
        const take = batchBySubject(async (_subject, count) => {
          underWay += 1;
          expect(underWay).toBe(1);
          calls.push(count);
          await Promise.resolve();
          const granted = Math.min(count, left);
          left -= granted;
          underWay -= 1;
          return { granted };
        });
        const shares = [];
        for (const pause of pauses) {
          shares.push(take('one'));
          for (let tick = 0; tick < pause; tick += 1) await Promise.resolve();
        }
        const answers = await Promise.all(shares);
        const expected = pauses.map((_pause, index) => index < available);
        expect(answers.map(({ ok }) => ok)).toEqual(expected);
        expect(calls.reduce((sum, count) => sum + count, 0)).toBe(pauses.length);
      }),
    );
  });

  it('batches callers that come during a call into the next one', async () => {
    const counts: number[] = [];
    const take = batchBySubject(async (_subject, count) => {
      counts.push(count);
      await new Promise((resolve) => setImmediate(resolve));
      return { granted: count };
    });
    await Promise.all(Array.from({ length: 10 }, () => take('one')));
    expect(counts).toEqual([1, 9]);
  });

  it('fails all callers of a failed batch, and serves the next batch', async () => {
    let fail = true;
    const take = batchBySubject(async (_subject, count) => {
      if (fail) throw new Error('away');
      return { granted: count };
    });
    await expect(Promise.allSettled([take('one'), take('one')])).resolves.toMatchObject([
      { status: 'rejected' },
      { status: 'rejected' },
    ]);
    fail = false;
    await expect(take('one')).resolves.toMatchObject({ ok: true, place: 0 });
  });
});
