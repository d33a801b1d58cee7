import { expect, it } from 'vitest';
import { uuidv7 } from '#core/lib/uuid.ts';
import { useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';
import { createDelivery } from '#test/support/deliveries.ts';

const api = useTestApi();
const get = (path: string) => api.call('GET', path);

interface Parameter {
  name: string;
  schema: { minimum?: number; maximum?: number };
}

// Not lists of resources: groups of statistics, single clicks (5.6) and events in the order of their arrival (6.11).
const feeds = new Set(['/stats/overview', '/stats/report', '/stats/clicks', '/events']);

it('limit is 0 to 50 on every list, and a list with a cursor always answers nextCursor', async () => {
  const document = await readDocument(api);
  const wrong: string[] = [];
  for (const [path, { get: operation }] of Object.entries<{ get?: { parameters?: Parameter[] } }>(document.paths)) {
    const limit = operation?.parameters?.find(({ name }) => name === 'limit');
    if (limit === undefined || feeds.has(path)) continue;
    const { minimum, maximum } = limit.schema;
    if (minimum !== 0 || maximum !== 50) wrong.push(`${path}: ${minimum} to ${maximum}`);
    const cursor = operation!.parameters!.some(({ name }) => name === 'cursor');
    const filled = path.replaceAll(/\{\w+\}/g, uuidv7());
    const answer = await get(`${filled}?limit=0`);
    if (answer.status === 200 && cursor && answer.body.nextCursor !== null) wrong.push(`${path}: no nextCursor`);
  }
  expect(wrong).toEqual([]);
});

/** Reads a list page by page; a row that `between` makes is in no later page. */
async function readAll(path: string, between: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body, status } = await get(`${path}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect([status, body.issues]).toEqual([200, undefined]);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
    await between();
  }
  return ids;
}

it(
  'a cursor reads each folder, tag, webhook and delivery once, although others are made meanwhile',
  { tags: 'slow' },
  async () => {
    const make = async (path: string, body: () => object) => (await api.call('POST', path, body())).body.id as string;
    for (const [path, body] of [
      ['/folder', () => ({ name: uuidv7().slice(-20) })],
      ['/tag', () => ({ name: uuidv7().slice(-20) })],
      ['/webhook', () => ({ url: `https://hooks.example.com/${uuidv7()}`, events: ['link.created'] })],
    ] as const) {
      const made = [await make(path, body), await make(path, body), await make(path, body)];
      const expected = [...(path === '/folder' ? [api.organization.folderId] : []), ...made.toReversed()];
      expect(await readAll(`${path}/list`, () => make(path, body))).toEqual(expected);
      const wrong = await get(`${path}/list?cursor=x`);
      expect([wrong.status, wrong.body.issues[0].path]).toEqual([400, 'cursor']);
    }
    const id = await make('/webhook', () => ({ url: 'https://hooks.example.com/', events: ['link.created'] }));
    const made = [await createDelivery(api.db, id), await createDelivery(api.db, id), await createDelivery(api.db, id)];
    const path = `/webhook/${id}/deliveries`;
    expect(await readAll(path, () => createDelivery(api.db, id))).toEqual(made.map((row) => row.id).toReversed());
  },
);
