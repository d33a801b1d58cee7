import { expect, it } from 'vitest';
import type { Sql } from '#db/connection/database.ts';
import { readCompiledLinks } from '#db/links/visits/compiled.ts';
import { useOwnTestApi } from '#test/support/api.ts';

const api = useOwnTestApi();

it('PostgreSQL plans the look-up of 64 slugs for about as many links, not for a share of all links of the domain', async () => {
  const { body } = await api.call('POST', '/short-link', {
    destination: { type: 'link', value: 'https://example.com/' },
  });
  const rolledBack = new Error('rolled back');
  const transaction = api.db.transaction(async (tx) => {
    await tx.query(
      `insert into short_links
       select (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'slug', 'planned-' || n))).*
       from short_links l, generate_series(1, 5000) as n where l.id = $1`,
      [body.id],
    );
    await tx.query(
      `insert into destinations
       select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'link_id', l.id))).*
       from destinations d, short_links l where d.link_id = $1 and l.slug like 'planned-%'`,
      [body.id],
    );
    await tx.query('analyze short_links, destinations');
    let plan = '';
    const explains = {
      async query({ text, values }: { text: string; values: unknown[] }) {
        const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        plan += rows.map((row) => row['QUERY PLAN']).join('\n');
        return { rows: [] };
      },
    } as unknown as Sql;
    await readCompiledLinks(
      explains,
      body.domainId,
      Array.from({ length: 64 }, (_, n) => `planned-${n}`),
    );
    const [, expectedLinks] = /on short_links l +\(\S+ rows=(\d+)/.exec(plan)!;
    expect(Number(expectedLinks)).toBeLessThan(128);
    throw rolledBack;
  });
  await expect(transaction).rejects.toBe(rolledBack);
});
