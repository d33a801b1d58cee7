import { expect, it } from 'vitest';
import { createRowReader } from '#core/imports/rows/row-reader.ts';
import { readCompiledLinks } from '#db/links/visits/compiled.ts';
import { useTestApi } from '#test/support/api.ts';

const api = useTestApi();
const destination = { type: 'link', value: 'https://example.com/notes' };

it('notes are set, shown, changed and cleared by every call that writes links', async () => {
  const made = await api.call('POST', '/short-link', { destination, externalId: 'n', notes: 'Asked for by Ada' });
  expect([made.status, made.body.notes]).toEqual([201, 'Asked for by Ada']);
  const path = `/short-link/${made.body.id}`;
  expect((await api.call('PATCH', path, { notes: 'By Grace' })).body.notes).toBe('By Grace');
  expect((await api.call('GET', path)).body.notes).toBe('By Grace');
  const upsert = { destination, externalId: 'n', notes: 'By Edsger' };
  expect((await api.call('PUT', '/short-link/upsert', upsert)).body.notes).toBe('By Edsger');
  const rows = { links: [{ id: made.body.id, notes: null }] };
  expect((await api.call('PATCH', '/short-link/bulk', rows)).body.results[0].data.notes).toBeNull();
  const bulk = await api.call('POST', '/short-link/bulk', {
    links: [{ destination, notes: 'In bulk' }, { destination }],
  });
  expect(bulk.body.results.map((row: { data: { notes: unknown } }) => row.data.notes)).toEqual(['In bulk', null]);
});

it('notes have at most 2,000 characters', async () => {
  expect((await api.call('POST', '/short-link', { destination, notes: 'x'.repeat(2_000) })).status).toBe(201);
  const { status, body } = await api.call('POST', '/short-link', { destination, notes: 'x'.repeat(2_001) });
  expect([status, body.issues]).toEqual([400, [{ path: 'notes', message: 'must have at most 2000 characters' }]]);
});

it('a search finds notes, as they are now', async () => {
  const { body } = await api.call('POST', '/short-link', { destination, notes: 'Zanzibar\ncampaign' });
  const found = async (search: string) => (await api.call('GET', `/short-link/list?search=${search}`)).body.count;
  expect([await found('zanzibar'), await found('ZIBAR%20CAMP')]).toEqual([1, 1]);
  await api.call('PATCH', `/short-link/${body.id}`, { notes: 'Timbuktu' });
  expect([await found('zanzibar'), await found('timbuktu')]).toEqual([0, 1]);
});

it('a column of an import holds notes, and the edge never has them', async () => {
  const read = createRowReader('csv', ['url', 'notes']);
  expect(read(['https://example.com', 'From a file']).body).toMatchObject({ notes: 'From a file' });
  const { body } = await api.call('POST', '/short-link', { destination, slug: 'quiet', notes: 'Confidential' });
  const compiled = await readCompiledLinks(api.db, body.domainId, ['quiet']);
  expect(compiled.get('quiet')!.id).toBe(body.id);
  expect(JSON.stringify([...compiled])).not.toContain('Confidential');
});
