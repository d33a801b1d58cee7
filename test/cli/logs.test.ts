// @module-tag process

import { beforeAll, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createCli } from '#test/support/cli.ts';
import { eventually } from '#test/support/eventually.ts';
import { createPerson, createUserKey } from '#test/support/people.ts';
import { prepareSdk } from '#test/support/sdk.ts';

const api = useOwnTestApi({ logsRequests: true });
let url: string;
let run: Parameters<typeof createCli>[0];
beforeAll(async () => {
  await prepareSdk('generate');
  ({ run } = await import('#cli/run.js'));
  url = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

const cliOf = (key: string) => createCli(run, { WAYMARK_URL: url, WAYMARK_API_KEY: key }).cli;

async function asOwner() {
  const { id: owner } = await createPerson(api.db, { [api.organization.id]: 'owner' });
  return cliOf(await createUserKey(api.db, api.organization.id, owner));
}

it('waymark logs tail prints the latest calls, oldest first, and get what a refused one was', async () => {
  const [owner, cli] = [await asOwner(), cliOf(api.organization.key)];
  const refused = await cli(['link', 'create', 'https://example.com/', '--slug', 'a/b', '--password', 'open-sesame']);
  const requestId = /request ([-0-9a-f]{36})/.exec(refused.stderr)?.[1] ?? 'none';
  await cli(['domain', 'list']);
  await api.requestLog.flush();
  const { code, stdout } = await owner(['logs', 'tail', '--limit', '2']);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split('\t').slice(1, 4))).toEqual([
    ['400', 'POST', '/short-link'],
    ['200', 'GET', '/domain/all'],
  ]);
  expect(lines[0]).toContain(`\tVALIDATION_ERROR\t${requestId}`);
  const filtered = await owner(['logs', 'tail', '--status', '4xx', '--method', 'post', '--json']);
  expect(JSON.parse(filtered.stdout.trim().split('\n').at(-1)!)).toMatchObject({ id: requestId, status: 400 });
  const shown = await owner(['logs', 'get', requestId]);
  expect(shown.stdout).toMatch(/call\tPOST \/short-link\nstatus\t400 VALIDATION_ERROR\n/);
  expect(shown.stdout).toMatch(/sent\t\{.*"slug":"a\/b".*"password":"\*\*\*"/);
  expect(shown.stdout).not.toContain('open-sesame');
  expect((await owner(['logs', 'get', '0195a1ef-9c0b-7a41-8f8e-0d6a5b1b7e02'])).code).toBe(3);
  expect(await owner(['logs', 'tail', '--limit', 'all'])).toMatchObject({ code: 2 });
  expect(await cli(['logs', 'tail'])).toMatchObject({ code: 1, stdout: '' });
});

it('waymark logs tail --follow prints each call that comes once, until it is told to stop', async () => {
  const owner = await asOwner();
  await api.call('GET', '/tag/list?limit=9');
  await api.requestLog.flush();
  const stop = new AbortController();
  let printed = '';
  const tailing = owner(['logs', 'tail', '--follow', '--limit', '0', '--route', '/tag/list'], {
    signal: stop.signal,
    onOutput: (text) => {
      printed += text;
    },
  });
  for (const count of [1, 2]) {
    await api.call('GET', `/tag/list?limit=${count}`);
    await eventually(() => printed.trim().split('\n').length >= count && printed.includes(`limit=${count}`));
  }
  stop.abort();
  const { code, stdout } = await tailing;
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[3]),
  ).toEqual(['/tag/list?limit=1', '/tag/list?limit=2']);
});
