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

it('a link leads to an e-mail address or a phone number by mailto: and tel:', async () => {
  for (const [address, destination] of [
    ['mailto:ada@example.com', { type: 'mail', value: 'ada@example.com' }],
    ['TEL:+491701234567', { type: 'phone', value: '+491701234567' }],
  ] as const) {
    const { stdout } = await cli(['link', 'create', address, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ destination });
  }
});

it('update takes away what a link has, and refuses options that exclude each other', async () => {
  const all = [
    '--expires',
    '2099-01-31',
    '--max-clicks',
    '5',
    '--password',
    'open-sesame',
    '--tag',
    'a',
    '--title',
    'T',
  ];
  const address = await make('emptied', ...all);
  const none = ['--no-expires', '--no-max-clicks', '--no-password', '--no-tag', '--no-title'];
  const { stdout } = await cli(['link', 'update', address, ...none, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    expiresAt: null,
    maxClicks: null,
    hasPassword: false,
    tags: [],
    title: null,
  });
  for (const both of [
    ['--active', '--inactive'],
    ['--no-expires', '--expires', '2099-01-31'],
  ])
    expect(await cli(['link', 'update', address, ...both])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exclude each other'),
    });
  expect((await cli(['link', 'update', '--help'])).stdout).toMatch(/--slug VALUE +A new end/);
});

it('delete takes each link once, and tells of each what became of it', async () => {
  const [one, two] = [await make('gone-one'), await make('gone-two')];
  const { id } = JSON.parse((await cli(['link', 'get', one, '--json'])).stdout) as { id: string };
  const deleted = await cli(['link', 'delete', one, two, id, '--yes']);
  expect(deleted).toEqual({ code: 0, stdout: `Deleted: ${one}\nDeleted: ${two}\n`, stderr: '' });
  const last = await make('gone-three');
  const missing = await cli(['link', 'delete', last, one, '--yes']);
  expect(missing).toEqual({ code: 3, stdout: '', stderr: `There is no link ${one}.\n` });
  const asJson = await cli(['link', 'delete', last, '--yes', '--json']);
  expect(JSON.parse(asJson.stdout)).toEqual([
    { id: expect.any(String), address: last, status: expect.any(Number), data: { rowCount: 1 } },
  ]);
});

it.each(['folder', 'tag'])('%s create makes one, and list has it', async (noun) => {
  const made = await cli([noun, 'create', `Own ${noun}`, '--color', '#2563EB']);
  expect(made.code).toBe(0);
  const listed = await cli([noun, 'list']);
  expect(listed.stdout).toContain(`Own ${noun}\t#2563EB\t${made.stdout.trim()}\n`);
});

it('webhook create prints the secret', async () => {
  const url = 'https://hooks.example.com/cli';
  expect((await cli(['webhook', 'create', url])).code).toBe(2);
  const made = await cli(['webhook', 'create', url, '--event', 'link.created', '--event', 'link.clicked']);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  expect((await cli(['webhook', 'list'])).stdout).toContain(`${url}\ton\tlink.created link.clicked`);
});
