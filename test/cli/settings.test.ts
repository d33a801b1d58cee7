// @module-tag process

import { beforeAll, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createCli } from '#test/support/cli.ts';
import { prepareSdk } from '#test/support/sdk.ts';

const api = useOwnTestApi();
let cli: ReturnType<typeof createCli>['cli'];
beforeAll(async () => {
  await prepareSdk('generate');
  const { run } = await import('#cli/run.js');
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  ({ cli } = createCli(run, { WAYMARK_URL: url, WAYMARK_API_KEY: api.organization.key }));
});

const make = async (slug: string, ...more: string[]): Promise<string> => {
  const { stdout } = await cli(['link', 'create', `https://example.com/${slug}`, '--slug', slug, ...more]);
  return stdout.trim();
};

it('a link is named by its address in any case, with what follows its slug', async () => {
  const address = await make('named');
  const bare = address.replace('http://', '');
  for (const name of [`${bare}/`, `${bare}?qr=1`, `${address}#top`, address.replace('http', 'HTTP'), ` ${bare}`])
    expect(await cli(['link', 'get', name])).toMatchObject({ code: 0, stdout: expect.stringContaining(address) });
  for (const name of ['named', 'localhost/', 'a b/c'])
    expect(await cli(['link', 'get', name])).toMatchObject({ code: 2, stderr: expect.stringContaining('domain/slug') });
});
