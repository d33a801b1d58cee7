import { beforeAll, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { connectMcp, type ToolAnswer } from '#test/support/mcp.ts';
import { createScene, type Scene, secret } from '#test/support/restricted-key.ts';

const api = useOwnTestApi();
let scene: Scene;
let call: (name: string, args: Record<string, unknown>) => Promise<ToolAnswer>;
beforeAll(async () => {
  scene = await createScene(api);
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  ({ call } = await connectMcp(address, { 'x-api-key': String(scene.key['x-api-key']) }, 'auto'));
});

async function nameOf(kind: 'folder' | 'domain', id: string): Promise<string> {
  const { body } = await api.call('GET', `/${kind}/${id}`, undefined, { headers: scene.owner });
  return kind === 'folder' ? body.name : body.domain;
}

it('get_account shows a restricted key the folders and domains that it reaches, and no others', async () => {
  const { text, isError } = await call('get_account', {});
  expect(isError).toBe(false);
  expect(JSON.parse(text)).toMatchObject({
    organization: { id: scene.organizationId, plan: 'premium', usage: { shortLinks: 1 } },
    folders: [await nameOf('folder', scene.folderId)],
    domains: [await nameOf('domain', scene.domainId)],
  });
  expect(text).not.toContain(secret);
});

it('create_link tells a restricted key which folder or domain to name', async () => {
  const [folder, domain] = [await nameOf('folder', scene.folderId), await nameOf('domain', scene.domainId)];
  const destination = 'https://example.com/new';
  const nowhere = await call('create_link', { destination, domain });
  expect(nowhere).toMatchObject({ isError: true, text: expect.stringMatching(/: folder: .*restricted/) });
  expect(nowhere.text).toContain(`It reaches: ${folder}.\nNext: call create_link with one of these as folder.`);
  const elsewhere = await call('create_link', { destination, folder });
  expect(elsewhere.text).toContain(`It reaches: ${domain}.\nNext: call create_link with one of these as domain.`);
  expect((await call('create_link', { destination, folder, domain })).isError).toBe(false);
});
