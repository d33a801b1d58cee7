// @module-tag process

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCli } from '#test/support/cli.ts';
import { answer, breakOff, refuse, type ScriptedAnswer, startScriptedServer } from '#test/support/scripted-server.ts';
import { prepareSdk } from '#test/support/sdk.ts';

let run: Parameters<typeof createCli>[0];
beforeAll(async () => {
  await prepareSdk('generate');
  ({ run } = await import('#cli/run.js'));
});

const hang: ScriptedAnswer = () => {};
const page: ScriptedAnswer = answer('<h1>Console</h1>', 200, { 'content-type': 'text/html' });
const keyed = (url: string) => createCli(run, { WAYMARK_URL: url, WAYMARK_API_KEY: 'wm_live_a' });

describe('Ctrl-C', () => {
  it.each([
    ['hangs', hang],
    ['asks for a later call', refuse('RATE_LIMIT_EXCEEDED', 429, { 'retry-after': '60' })],
  ])('130: ends a command at once while the server %s', async (_what, first) => {
    const stop = new AbortController();
    await using server = await startScriptedServer((response) => {
      first(response);
      setTimeout(() => stop.abort(), 50);
    }, answer({}));
    const ended = await keyed(server.address).cli(['link', 'create', 'example.com'], { signal: stop.signal });
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    expect(server.sent).toHaveLength(1);
  });

  it('130: ends the wait for an import, and says that it goes on', async () => {
    const stop = new AbortController();
    const job = { id: 'import-1', state: 'running', total: 1, imported: 0, skipped: 0, failed: 0 };
    await using server = await startScriptedServer((response) => {
      answer(job)(response);
      setTimeout(() => stop.abort(), 50);
    });
    const { cli, home } = keyed(server.address);
    writeFileSync(join(home, 'rows.csv'), 'destination\nhttps://example.com\n');
    const ended = await cli(['import', join(home, 'rows.csv'), '--watch'], { signal: stop.signal });
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('Import import-1 goes on') });
  });
});

describe('an outage', () => {
  const events = {
    data: [{ id: 'event-1', type: 'link.created', createdAt: 'now' }],
    nextCursor: 'next',
    hasMore: true,
  };
  const call = { id: 'call-1', at: new Date().toISOString(), method: 'GET', path: '/tag/list', query: null, by: {} };

  it('is waited for by webhook listen, which goes on at the same place', async () => {
    const stop = new AbortController();
    const down = [breakOff, refuse('INTERNAL_SERVER_ERROR', 500), refuse('SERVICE_UNAVAILABLE', 503)] as const;
    await using server = await startScriptedServer(answer({ ...events, data: [] }), ...down, answer(events), hang);
    const ended = await keyed(server.address).cli(['webhook', 'listen'], {
      signal: stop.signal,
      onOutput: (text) => text.includes('event-1') && stop.abort(),
    });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Going on in 2 s.') });
    expect(server.sent.slice(1).every(({ url }) => url.includes('cursor=next'))).toBe(true);
  });

  it('is waited for by logs tail --follow', async () => {
    const stop = new AbortController();
    const down = [breakOff, breakOff, breakOff] as const;
    const [none, one] = [answer({ data: [], nextCursor: null }), answer({ data: [call], nextCursor: null })];
    await using server = await startScriptedServer(none, ...down, one, hang);
    const ended = await keyed(server.address).cli(['logs', 'tail', '--follow'], {
      signal: stop.signal,
      onOutput: (text) => text.includes('call-1') && stop.abort(),
    });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Going on in 2 s.') });
  });

  it('1: is not waited for where the key is wrong', async () => {
    await using server = await startScriptedServer(refuse('FORBIDDEN', 403));
    expect(await keyed(server.address).cli(['webhook', 'listen'])).toMatchObject({ code: 1 });
  });
});

describe('an address that is no Waymark', () => {
  it.each([
    ['a page', page, 'No answer of Waymark'],
    ['another API', answer({ ok: true }), 'is no Waymark'],
  ])('1: is not stored by login: %s', async (_what, given, message) => {
    await using server = await startScriptedServer(given);
    const { cli } = createCli(run);
    const ended = await cli(['login', '--host', server.address], { input: 'wm_live_a' });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expect((await cli(['whoami'])).code).toBe(4);
  });
});

describe('keys and hosts', () => {
  /** A command line with the profiles `default` at one server and `other` at another. */
  const withProfiles = (host: string, other: string) => {
    const made = createCli(run);
    const folder = join(made.home, '.config/waymark');
    mkdirSync(folder, { recursive: true });
    const profiles = { default: { host, key: 'wm_live_default' }, other: { host: other, key: 'wm_live_other' } };
    writeFileSync(join(folder, 'profiles.json'), JSON.stringify(profiles));
    return made.cli;
  };
  const organization = answer({ id: 'a', name: 'Acme', plan: 'free' });

  it('a profile that is named gives host and key, whatever the environment holds', async () => {
    await using one = await startScriptedServer(organization);
    await using other = await startScriptedServer(organization);
    const cli = withProfiles(one.address, other.address);
    const env = { WAYMARK_API_KEY: 'wm_live_environment', WAYMARK_URL: one.address };
    expect((await cli(['whoami', '--profile', 'other'], { env })).code).toBe(0);
    expect(other.sent.map(({ headers }) => headers['x-api-key'])).toEqual(['wm_live_other']);
    expect((await cli(['whoami'], { env })).code).toBe(0);
    expect(one.sent.map(({ headers }) => headers['x-api-key'])).toEqual(['wm_live_environment']);
  });

  it('4: the key of a profile is not sent to another host', async () => {
    await using one = await startScriptedServer(organization);
    await using other = await startScriptedServer(organization);
    const cli = withProfiles(one.address, other.address);
    for (const [args, env] of [
      [['whoami', '--host', other.address], {}],
      [['whoami', '--host', other.address, '--profile', 'default'], { WAYMARK_API_KEY: 'wm_live_environment' }],
      [['whoami'], { WAYMARK_URL: other.address }],
    ] as const)
      expect(await cli([...args], { env })).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('is not sent to'),
      });
    expect(other.sent).toEqual([]);
    expect((await cli(['whoami', '--host', `${one.address}/`])).code).toBe(0);
  });

  it('variables that are empty are not set', async () => {
    await using one = await startScriptedServer(organization);
    const env = { WAYMARK_API_KEY: '', WAYMARK_URL: '', WAYMARK_PROFILE: '' };
    expect((await withProfiles(one.address, one.address)(['whoami'], { env })).code).toBe(0);
    expect((await createCli(run).cli(['whoami'], { env })).stderr).toContain('`waymark login`');
  });

  it('profiles that hold nothing are none, and a folder is no file to import', async () => {
    const { cli, home } = keyed('http://127.0.0.1:1');
    const folder = join(home, '.config/waymark');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'profiles.json'), 'null');
    const env = { WAYMARK_API_KEY: '' };
    expect(await cli(['whoami'], { env })).toMatchObject({ code: 4, stderr: expect.stringContaining('not signed in') });
    expect(await cli(['import', home])).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') });
  });
});
