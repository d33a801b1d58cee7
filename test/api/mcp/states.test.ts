import { beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, findPlatformDomain } from '#test/support/factories.ts';
import { beginImport, setImported } from '#test/support/imports.ts';
import { connectMcp, type ToolAnswer } from '#test/support/mcp.ts';

// No worker runs: each test says how far an import is.
const api = useOwnTestApi();
let call: (name: string, args: Record<string, unknown>) => Promise<ToolAnswer>;
beforeAll(async () => {
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  await createDomain(api.db, api.organization.id, { domain: 'xn--bcher-kva.example' });
  ({ call } = await connectMcp(address, { 'x-api-key': api.organization.key }, 'auto'));
});

it('explain_visit and explain_clicks follow the organization’s policy for threats', async () => {
  const { id: organizationId, folderId } = api.organization;
  const { id: link } = await createLink(api.db, {
    organizationId,
    folderId,
    domainId: await findPlatformDomain(api.db),
    destination: { value: 'https://threat.example/', threatTypes: ['MALWARE'] },
  });
  const told: Record<string, string> = { warn: 'warned of threats', block: 'blocked', pass: 'redirected' };
  for (const [policy, visitor] of Object.entries(told)) {
    await api.db.query('update organizations set threat_policy = $2 where id = $1', [organizationId, policy]);
    expect((await call('explain_visit', { link })).text).toContain(`The visitor is ${visitor}`);
    const clicks = await call('explain_clicks', { link });
    expect([policy, clicks.text.includes('has threats')]).toEqual([policy, policy !== 'pass']);
  }
});

it('archive_link tells of a restored link whether it redirects again', async () => {
  await call('create_link', { destination: 'https://example.com/', slug: 'off', isActive: false });
  await call('archive_link', { link: 'off' });
  const off = await call('archive_link', { link: 'off', isArchived: false });
  expect(off.text).toMatch(/still switched off[\s\S]*Next: call update_link with isActive: true/);
  expect((await call('update_link', { link: 'off', isActive: true })).isError).toBe(false);
  await call('archive_link', { link: 'off' });
  expect((await call('archive_link', { link: 'off', isArchived: false })).text).toContain('redirects again');
});

it('find_links finds links by a tag whose name has a comma', async () => {
  await call('create_link', { destination: 'https://example.com/', slug: 'tagged', tags: ['red, blue'] });
  expect((await call('find_links', { tag: 'Red, blue' })).text).toMatch(/"count":1[\s\S]*\/tagged"/);
  expect((await call('find_links', { tag: 'red' })).text).toContain('No tag is named "red"');
});

it('find_links tells a domain or tag that there is not from one without links', async () => {
  await call('create_link', { destination: 'https://example.com/', slug: 'lone', tags: ['lone'] });
  const nothing = { search: 'no such words' };
  expect((await call('find_links', { ...nothing, domain: 'localhost', tag: 'lone' })).text).toBe('{"count":0}');
  for (const [field, next] of [
    ['domain', 'list_domains'],
    ['tag', 'get_account'],
  ] as const) {
    const { isError, text } = await call('find_links', { [field]: 'nope.example' });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(`No ${field} is named "nope.example"[^]*call ${next}`),
    ]);
  }
});

it.each(['localhost:3001', 'LOCALHOST', 'bücher.example', 'xn--bcher-kva.example'])(
  'a domain is named as in a short address: %s',
  async (domain) => {
    const { isError, text } = await call('get_statistics', { domain });
    expect([isError, text]).toEqual([false, expect.stringContaining('0 clicks')]);
  },
);

describe('an undo of an import', () => {
  const setUndone = async (id: string, kept: number, isOver: boolean): Promise<void> => {
    await api.db.query(
      `update imports set state = case when $3 then 'undone' else 'undoing' end, removed = imported - $2, kept = $2,
         undo_left = case when $3 then 0 else 1 end, undone_at = case when $3 then now() end where id = $1`,
      [id, kept, isOver],
    );
  };

  it('is followed by get_import until it ends, which undo_import then says', async () => {
    const id = await beginImport(api, 3);
    await setImported(api.db, id, 3, { isOver: true });
    expect((await call('undo_import', { import: id })).text).toContain('Nothing is undone yet. Up to 3 links');
    await setUndone(id, 1, false);
    expect((await call('get_import', { import: id })).text).toMatch(/is undoing[\s\S]*Next: call get_import/);
    expect((await call('undo_import', { import: id })).text).toMatch(/is undoing[\s\S]*Next: call get_import/);
    const followed = call('get_import', { import: id, waitSeconds: 20 });
    await setUndone(id, 1, true);
    expect((await followed).text).toMatch(/is undone: .*removed 2 links, and kept 1/);
  });

  it('goes on with the links that it kept, where there are any', async () => {
    const id = await beginImport(api, 3);
    await setImported(api.db, id, 3, { isOver: true });
    await setUndone(id, 1, true);
    const undone = await call('undo_import', { import: id });
    expect(undone.text).toMatch(/is undone: [\s\S]*Next: call undo_import with includeChanged: true/);
    const asked = await call('undo_import', { import: id, includeChanged: true });
    expect(asked.text).toContain('Nothing more is undone yet. Up to 1 links');
    await setUndone(id, 0, true);
    const over = await call('undo_import', { import: id, includeChanged: true, confirm: true });
    expect(over.text).toMatch(/is undone: [^\n]*$/);
  });
});
