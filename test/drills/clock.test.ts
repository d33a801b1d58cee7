// @module-tag process

import { afterEach, beforeEach, expect, test } from 'vitest';
import { redirectLink } from '#test/support/edge-factories.ts';
import { createTestEdge, type TestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

// The machine's clock is set back, or on and back again, while the edge serves.

const hourMs = 3_600_000;
const longMs = 40 * 24 * hourMs;
let aheadMs: number;
let edge: TestEdge;

beforeEach(async () => {
  aheadMs = 0;
  edge = await createTestEdge({ now: () => Date.now() + aheadMs });
});
afterEach(() => edge[Symbol.asyncDispose]());

const status = async (slug: string): Promise<number> => (await edge.visit(`/${slug}`)).status;

test.each([
  ['an hour', -hourMs],
  ['forty days', -longMs],
])('a clock set back by %s counts every click once, with the time that it showed', async (_name, jumpMs) => {
  const { id, slug } = await edge.link();
  let redirects = 0;
  const visit = async (): Promise<void> => {
    if ((await status(slug)) === 302) redirects += 1;
  };
  const jumpedAt = Date.now();
  for (let round = 0; round < 20; round += 1) {
    if (round === 10) aheadMs = jumpMs;
    await Promise.all(Array.from({ length: 10 }, visit));
  }
  expect(redirects).toBe(200);
  const count = async (): Promise<number> =>
    (await edge.db.query<{ clicks: number }>('select clicks from link_counters where link_id = $1', [id])).rows[0]
      ?.clicks ?? 0;
  await eventually(count, (clicks) => clicks === 200);
  const { rows } = await edge.db.query(
    `select count(*) as stored, count(distinct id) as "distinct",
       count(*) filter (where clicked_at < $2) as early from clicks where link_id = $1`,
    [id, new Date(jumpedAt + jumpMs / 2)],
  );
  expect(rows).toEqual([{ stored: 200, distinct: 200, early: 100 }]);
});

test('a clock set back neither hides a change nor keeps a new link missing for long', async () => {
  const changed = await edge.link();
  expect(await status(changed.slug)).toBe(302);
  expect(await status('comes-later')).toBe(404);
  aheadMs = -hourMs;
  await redirectLink(edge.db, changed.id, 'https://example.com/new');
  await eventually(
    () => edge.visit(`/${changed.slug}`),
    ({ headers }) => headers.location === 'https://example.com/new',
  );
  await edge.link({ slug: 'comes-later' });
  await eventually(
    () => status('comes-later'),
    (code) => code === 302,
  );
});

test('a link expires and lives again as the clock is set on and back', async () => {
  const { slug } = await edge.link({ expiresAt: new Date(Date.now() + hourMs / 2) });
  expect(await status(slug)).toBe(302);
  aheadMs = hourMs;
  expect(await status(slug)).toBe(410);
  aheadMs = 0;
  expect(await status(slug)).toBe(302);
});
