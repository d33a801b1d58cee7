// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { recordHistory } from '#test/support/histories.ts';
import { type ImportStack, startImportStack } from '#test/support/import-stack.ts';
import { undoImportStatusQuery } from '#workflows/undo-import.ts';

let stack: ImportStack;
/** Its undos take very many turns. */
let slow: ImportStack;
beforeAll(async () => {
  [stack, slow] = await Promise.all([startImportStack(), startImportStack({ undoneAtOnce: 1, turnMs: 1, restMs: 1 })]);
});
afterAll(() => Promise.all([stack[Symbol.asyncDispose](), slow[Symbol.asyncDispose]()]));

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
    60_000,
  );
const count = async ({ api }: ImportStack, query: string, value: string): Promise<number> =>
  (await api.db.query(`select from ${query}`, [value])).rowCount ?? 0;

describe('undoImport', () => {
  test('each undo is one workflow, which operators can find and follow', async () => {
    const { id } = await stack.run(fileOf(1_200, 'followed'));
    expect((await undo(stack, id)).status).toBe(202);
    expect((await undone(stack, id)).undo).toMatchObject({ removed: 1_200, kept: 0, left: 0 });
    const handle = stack.client.workflow.getHandle(`import-undo/${id}`);
    const wanted = { state: 'undone', imported: 1_200, removed: 1_200, kept: 0, left: 0 };
    expect(await handle.result()).toEqual(wanted);
    expect(await handle.query(undoImportStatusQuery)).toEqual(wanted);
    const described = (await handle.describe()) as Awaited<ReturnType<typeof handle.describe>> & {
      staticSummary(): Promise<string>;
    };
    const { organization, db } = stack.api;
    const { rows } = await db.query<{ name: string }>('select name from organizations where id = $1', [
      organization.id,
    ]);
    expect(described.searchAttributes).toMatchObject({
      organizationId: [organization.id],
      name: [rows[0]!.name],
      state: ['undone'],
    });
    expect(await described.staticSummary()).toBe(`Undo the import of 1200 links for ${rows[0]!.name}`);
    // A deletion of its own follows for each batch of 500.
    expect(await count(stack, `purges where organization_id = $1 and kind = 'links'`, organization.id)).toBe(3);
    await recordHistory('undo-import', handle);
  });

  test('a very long undo continues as new and keeps its counts', { timeout: 120_000 }, async () => {
    const organization = await createOrganization(slow.api.db);
    const { id } = await slow.run(fileOf(130, 'long'), {}, organization.key);
    await undo(slow, id, organization.key);
    const workflowId = `import-undo/${id}`;
    expect((await undone(slow, id, organization.key)).undo).toMatchObject({ removed: 130, left: 0 });
    expect(await slow.client.workflow.getHandle(workflowId).result()).toMatchObject({ state: 'undone', removed: 130 });
    const runs = await eventually(
      async () => {
        const found = [];
        for await (const run of slow.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) found.push(run);
        return found;
      },
      (found) => found.length === 2 && found.every(({ status }) => status.name !== 'RUNNING'),
    );
    expect(runs.map(({ status }) => status.name).toSorted()).toEqual(['COMPLETED', 'CONTINUED_AS_NEW']);
    const first = runs.find(({ status }) => status.name === 'CONTINUED_AS_NEW');
    await recordHistory('undo-import-continued', slow.client.workflow.getHandle(workflowId, first!.runId));
    expect(await count(slow, `events where organization_id = $1 and type = 'link.deleted'`, organization.id)).toBe(130);
  });

  test('an undo whose workflow was lost continues behind its last batch', { timeout: 120_000 }, async () => {
    const { db } = slow.api;
    const organization = await createOrganization(db);
    const { id } = await slow.run(fileOf(120, 'lost'), {}, organization.key);
    await undo(slow, id, organization.key);
    await eventually(
      () => read(slow, id, organization.key),
      ({ undo: { removed } }) => removed > 3,
    );
    await slow.client.workflow.getHandle(`import-undo/${id}`).terminate('lost');
    // Makes the undo due at once instead of in half a minute; its last activity may still postpone it.
    const { undo: progress } = await eventually(
      async () => {
        await db.query('update imports set due_at = now() where id = $1 and due_at is not null', [id]);
        return read(slow, id, organization.key);
      },
      ({ state }) => state === 'undone',
      60_000,
    );
    expect(progress).toMatchObject({ removed: 120, kept: 0, left: 0 });
    expect(await count(slow, `events where organization_id = $1 and type = 'link.deleted'`, organization.id)).toBe(120);
  });

  test('an undo ends when its import is gone with the organization', async () => {
    const { db } = slow.api;
    const organization = await createOrganization(db);
    const { id } = await slow.run(fileOf(120, 'gone'), {}, organization.key);
    await undo(slow, id, organization.key);
    await eventually(
      () => read(slow, id, organization.key),
      ({ undo: { removed } }) => removed > 3,
    );
    await db.transaction(async (tx) => {
      await tx.query('select from imports where id = $1 for update', [id]);
      await tx.query('delete from import_rows where import_id = $1', [id]);
      await tx.query('delete from imports where id = $1', [id]);
    });
    const handle = slow.client.workflow.getHandle(`import-undo/${id}`);
    expect(await handle.result()).toMatchObject({ state: 'gone', imported: 120 });
    await recordHistory('undo-import-gone', handle);
  });
});
