// @module-tag process
// @module-tag nightly

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import { beVictim, startGreedy } from '#test/support/tenants.ts';

// One organization takes all it can get beside another, which must not feel it: each of its calls is answered, and well. How long
// they take is measured by `npm run -s bench -- victims`.

// As many calls as some keys of one organization may make at once.
const calls = { RATE_LIMIT_PER_SECOND: '30', RATE_LIMIT_PER_MINUTE: '1800' };
const rounds = 20;

test('a greedy organization costs another one no error', async () => {
  await using stopped = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'waymark-victims-'));
  stopped.defer(() => rmSync(folder, { recursive: true, force: true }));
  const database = stopped.use(await createTestDatabase());
  const db = createDatabase({ url: database.url, onError: () => {} });
  stopped.defer(() => db.close());
  const [greedy, victim] = [await createOrganization(db), await createOrganization(db)];
  const host = 'localhost:3001';
  const env = {
    TEMPORAL_TASK_QUEUE: temporalForTest().taskQueue,
    PLATFORM_DOMAIN: host,
    WAYMARK_DATA_DIR: folder,
    ...calls,
  };
  const start = async (role: 'api' | 'edge' | 'worker') => stopped.use(await startProcess(role, database.url, env));
  const [api, edge] = await Promise.all([start('api'), start('edge'), start('worker')]);

  const address = { apiPort: api.port, edgePort: edge.port, host };
  const made = await fetch(`${api.url}/short-link`, {
    method: 'POST',
    headers: { 'x-api-key': greedy.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      destination: { type: 'link', value: 'https://example.com/' },
      slug: 'locked',
      password: 'secret',
    }),
  });
  expect(made.status).toBe(201);
  const load = startGreedy(address, greedy.key, 'locked');
  const experience = await beVictim(address, victim.key, { rounds, pauseMs: 50 });
  const took = await load.stop();
  expect(experience.failures).toEqual([]);
  expect(Object.values(experience.times).flat()).toHaveLength(rounds * 5);
  // It was greedy: all of it was done at times, and imports were refused at others.
  expect(took.import).toMatchObject({ 201: expect.any(Number), 429: expect.any(Number) });
  for (const what of ['bulk with passwords', 'bulk with huge rules'])
    expect(took[what]).toMatchObject({ 201: expect.any(Number) });
  for (const what of ['search', 'statistics']) expect(took[what]).toMatchObject({ 200: expect.any(Number) });
  // Nothing of it broke anything: no 500, and no connection that ended.
  for (const answers of Object.values(took))
    for (const status of Object.keys(answers)) expect(['error', '500', '502']).not.toContain(status);

  // The verdicts of its links do not wait for those of the greedy one's.
  await eventually(
    async () => {
      const { rows } = await db.query<{ open: number }>(
        `select count(*) as open from destinations d join short_links l on l.id = d.link_id
         left join threat_verdicts v using (url_hash)
         where l.organization_id = $1 and v.scanned_at is null`,
        [victim.id],
      );
      return rows[0]!.open;
    },
    (open) => open === 0,
  );
});
