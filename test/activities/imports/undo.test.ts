// @module-tag slow

import { describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { useFixture } from '#test/support/fixture.ts';
import { type ImportStack, startImportStack } from '#test/support/import-stack.ts';

const stack = useFixture(startImportStack);
/** Its undos take very many turns. */
const slow = useFixture(() => startImportStack({ undoneAtOnce: 1, turnMs: 1, restMs: 1 }));

const fileOf = (rows: number, name: string): string =>
  ['keyword,url', ...Array.from({ length: rows }, (_, index) => `${name}-${index},https://example.com/${index}`)].join(
    '\n',
  );
const headersOf = (key?: string): { headers: Record<string, string> } => ({
  headers: key === undefined ? {} : { 'x-api-key': key },
});
const undo = ({ api }: ImportStack, id: string, key?: string) =>
  api.call('POST', `/short-link/import/${id}/undo`, undefined, headersOf(key));
const read = async ({ api }: ImportStack, id: string, key?: string) =>
  (await api.call('GET', `/short-link/import/${id}`, undefined, headersOf(key))).body;
const undone = (from: ImportStack, id: string, key?: string) =>
  eventually(
    () => read(from, id, key),
    ({ state }) => state === 'undone',
  );
const count = async ({ api }: ImportStack, query: string, value: string): Promise<number> =>
  (await api.db.query(`select from ${query}`, [value])).rowCount ?? 0;

describe('undoImport', () => {
  test('an undo removes every link of its import, in deletions of 500 at most', { tags: 'nightly' }, async () => {
    const { id } = await stack.run(fileOf(600, 'followed'));
    expect((await undo(stack, id)).status).toBe(202);
    expect((await undone(stack, id)).undo).toMatchObject({ removed: 600, kept: 0, left: 0 });
    // A deletion of its own follows for each batch of 500.
    expect(await count(stack, `purges where organization_id = $1 and kind = 'links'`, stack.api.organization.id)).toBe(
      2,
    );
  });

  test('an undo whose workflow was lost continues behind its last batch', { tags: 'nightly' }, async () => {
    const { db } = slow.api;
    const organization = await createOrganization(db);
    const { id } = await slow.run(fileOf(40, 'lost'), {}, organization.key);
    await undo(slow, id, organization.key);
    await eventually(
      () => read(slow, id, organization.key),
      ({ undo: { removed } }) => removed > 3,
    );
    await slow.lose();
    // Makes the undo due at once instead of in half a minute; its last activity may still postpone it.
    const { undo: progress } = await eventually(
      async () => {
        await db.query('update imports set due_at = now() where id = $1 and due_at is not null', [id]);
        return read(slow, id, organization.key);
      },
      ({ state }) => state === 'undone',
    );
    expect(progress).toMatchObject({ removed: 40, kept: 0, left: 0 });
    expect(await count(slow, `events where organization_id = $1 and type = 'link.deleted'`, organization.id)).toBe(40);
  });
});
