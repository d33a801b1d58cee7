// @module-tag slow

import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Import } from '#db/entities/imports.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { type Answer, useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, openTestSession } from '#test/support/people.ts';
import { startImportStack } from '#test/support/import-stack.ts';
import { writeMultipart } from '#test/support/upload.ts';

const api = useOwnTestApi({ importBytesPerDay: 1_000 });

async function send(key: string, content = 'url\nhttps://example.com/\n', headers = {}): Promise<Answer> {
  const multipart = writeMultipart([{ filename: 'links.csv', type: 'text/csv', content }]);
  return api.call('POST', '/short-link/import', undefined, {
    payload: multipart.payload,
    headers: { ...multipart.headers, 'x-api-key': key, ...headers },
  });
}

describe('the share that an organization has of imports', () => {
  it('an organization has three unfinished imports at most, also of ten sent at once; another organization has its own', async () => {
    const { key } = await createOrganization(api.db);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(key)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    for (const { status, headers, body } of answers) {
      if (status === 201) continue;
      expect(status).toBe(429);
      expect(body.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await send(key)).status).toBe(429);
    expect((await send((await createOrganization(api.db)).key)).status).toBe(201);
    await emOf(api.db).transactional(async (em) => {
      (await em.findOneOrFail(Import, { id: made[0]!.body.id })).finish('completed', new Date());
    });
    expect((await send(key)).status).toBe(201);
    expect((await send(key)).status).toBe(429);
  });

  it('the share of imports holds under an Idempotency-Key, which still replays the first answer', async () => {
    const { key } = await createOrganization(api.db);
    const keys = Array.from({ length: 6 }, (_, index) => ({ 'idempotency-key': `import ${index}` }));
    const answers = await Promise.all(keys.map((headers) => send(key, undefined, headers)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const first = answers.findIndex(({ status }) => status === 201);
    const again = await send(key, undefined, keys[first]);
    expect(again).toMatchObject({ status: 201, body: { id: answers[first]!.body.id } });
  });

  it('an organization imports a limited number of bytes in 24 hours', async () => {
    const { key, id } = await createOrganization(api.db);
    const file = `url\n${'https://example.com/\n'.repeat(28)}`;
    const finish = () =>
      api.db.query(`update imports set state = 'completed', finished_at = now() where organization_id = $1`, [id]);
    expect((await send(key, file)).status).toBe(201);
    await finish();
    const refused = await send(key, file);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    expect((await send(key)).status).toBe(201);
    await api.db.query(`update imports set created_at = now() - interval '25 hours' where organization_id = $1`, [id]);
    await finish();
    expect((await send(key, file)).status).toBe(201);
  });

  it('a file to import has 200 columns at most', async () => {
    const { key } = await createOrganization(api.db);
    const columns = (count: number) =>
      ['url', ...Array.from({ length: count - 1 }, (_, index) => `c${index}`)].join(',');
    expect(await send(key, `${columns(201)}\nhttps://example.com/\n`)).toMatchObject({
      status: 400,
      body: {
        code: 'VALIDATION_ERROR',
        issues: [{ path: 'file', message: expect.stringContaining('at most 200 columns') }],
      },
    });
    expect((await send(key, `${columns(200)}\nhttps://example.com/\n`)).status).toBe(201);
  });

  it(
    'an organization imports in one transaction at a time, of two for all organizations',
    { tags: 'nightly' },
    async () => {
      const running = new Map<string, number>();
      let most = 0;
      await using stack = await startImportStack({ rowsAtOnce: 2 }, (db) => ({
        ...db,
        transaction: (work) =>
          db.transaction(async (tx) => {
            const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
            running.set(String(rows[0]!.pid), 1);
            most = Math.max(most, running.size);
            await setTimeout(5);
            try {
              return await work(tx);
            } finally {
              running.delete(String(rows[0]!.pid));
            }
          }),
      }));
      const others = [await createOrganization(stack.api.db), await createOrganization(stack.api.db)];
      const file = `url\n${'https://example.com/\n'.repeat(20)}`;
      const keys = [undefined, undefined, undefined, ...others.map(({ key }) => key)];
      const done = await Promise.all(keys.map((key) => stack.run(file, {}, key)));
      expect(done.map(({ counts }) => counts.imported)).toEqual([20, 20, 20, 20, 20]);
      expect(most).toBe(2);
    },
  );
});

describe('rows past the quota of a free organization', () => {
  it('rows past the quota of a free organization fail with PLAN_LIMIT_REACHED', async () => {
    await using stack = await startImportStack();
    const free = await createOrganization(stack.api.db, { plan: 'free' });
    const { id } = await createPerson(stack.api.db, { [free.id]: 'owner' });
    const session = await openTestSession(stack.api.db, id, free.id);
    const multipart = writeMultipart([
      { filename: 'links.csv', type: 'text/csv', content: `url\n${'https://example.com/\n'.repeat(12)}` },
    ]);
    const headers = { ...session, 'x-api-key': undefined };
    const made = await stack.api.call('POST', '/short-link/import', undefined, {
      payload: multipart.payload,
      headers: { ...multipart.headers, ...headers },
    });
    expect(made.status).toBe(201);
    const { rows } = await stack.finished(made.body.id, headers);
    expect(rows.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 10 }, () => 'imported'),
      'failed',
      'failed',
    ]);
    expect(rows.at(-1)!.error).toMatch(/^PLAN_LIMIT_REACHED: /);
  });
});
