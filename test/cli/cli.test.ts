// @module-tag process

import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as Sdk from '#sdk/typescript/src/index.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createCli } from '#test/support/cli.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { createDomain } from '#test/support/factories.ts';
import { prepareSdk } from '#test/support/sdk.ts';
import { ingestClicks, testClick } from '#test/support/stats.ts';

const api = useOwnTestApi();
let url: string;
let cli: ReturnType<typeof createCli>['cli'];
let home: string;
let sdk: typeof Sdk;
let run: Parameters<typeof createCli>[0];

beforeAll(async () => {
  await prepareSdk('generate');
  sdk = await import('#sdk/typescript/src/index.ts');
  ({ run } = await import('#cli/run.js'));
  url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  ({ cli, home } = createCli(run, { WAYMARK_URL: url, WAYMARK_API_KEY: api.organization.key }));
});

const make = async (slug: string, ...more: string[]): Promise<string> => {
  const { stdout } = await cli(['link', 'create', `https://example.com/${slug}`, '--slug', slug, ...more]);
  return stdout.trim();
};

describe('waymark', () => {
  it('lists its commands, and shows what each takes', async () => {
    const { code, stdout } = await cli([]);
    expect(code).toBe(0);
    for (const name of ['login', 'link create', 'stats', 'webhook listen', 'completion'])
      expect(stdout).toContain(`  ${name}`);
    const help = await cli(['link', 'create', '--help']);
    expect(help.stdout).toMatch(
      /Usage: waymark link create ADDRESS \[options\][\s\S]*--slug VALUE[\s\S]*--tag VALUE +A tag\. May be repeated\./,
    );
    expect((await cli(['--version'])).stdout).toBe('0.1.0\n');
  });

  it.each([
    ['link', '--help'],
    ['-h', 'link'],
    ['help', 'link'],
  ])('0: %s %s lists the commands of a noun', async (...args) => {
    const { code, stdout, stderr } = await cli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('  link update ');
    expect(stdout).not.toContain('  folder ');
    expect((await cli(['help', 'link', 'create'])).stdout).toBe((await cli(['link', 'create', '--help'])).stdout);
    expect((await cli(['help', 'lunk'])).code).toBe(2);
  });

  it.each(['2027-02-30', '2027-04-31T12:00:00Z', '2027', '12/31/2027', 'tomorrow', '2027-01-31T25:00'])(
    '2: %s is no date on which a link ends',
    async (expires) => {
      const { code, stderr } = await cli(['link', 'create', 'https://example.com', '--expires', expires]);
      expect([code, stderr]).toEqual([2, `${expires} is no date like 2027-01-31 or 2027-01-31T18:00:00Z\n`]);
    },
  );

  it.each([
    [['nothing'], 'There is no command `nothing`'],
    [['link'], 'link create'],
    [['link', 'create'], 'Write it so: waymark link create ADDRESS'],
    [['link', 'create', 'a.example', '--colour', 'red'], "Unknown option '--colour'"],
    [['link', 'list', '--limit', 'many'], '--limit is a whole number'],
    [['link', 'list', '--limit', '-3'], "use '--limit=-XYZ'. `waymark link list --help` shows"],
    [['qr', 'go.example/x', '-o', 'x.gif'], '.svg or .png'],
    [['webhook', 'listen', '--forward', 'nowhere'], '--forward is an address'],
    [['link', 'delete', 'spring'], 'domain/slug'],
    [['whoami', '--host', 'localhost:3000'], 'localhost:3000 is no address'],
    [['whoami', '--host', 'https://a.example/#b'], 'https://a.example/#b is no address'],
    [['login', '--host', 'https://a.example?b'], 'https://a.example?b is no address'],
    [['export', '--json'], "Unknown option '--json'"],
    [['completion', 'tcsh'], 'bash, zsh and fish'],
  ])('2: %j is no command line, and it says why', async (args, message) => {
    const { code, stdout, stderr } = await cli(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('takes options before the command too', async () => {
    const { code, stdout } = await cli(['--json', '--host', url, 'link', 'list', 'no such link']);
    expect([code, JSON.parse(stdout)]).toEqual([0, []]);
    expect((await cli(['--help', 'stats'])).stdout).toContain('Usage: waymark stats');
    expect(await cli(['--profile', 'nobody'])).toMatchObject({ code: 2 });
  });

  it('4: without a key, or with a wrong one, it says how to sign in', async () => {
    const nobody = createCli(run);
    const without = await nobody.cli(['link', 'list']);
    expect([without.code, without.stderr]).toEqual([4, expect.stringContaining('`waymark login`')]);
    const wrong = await nobody.cli(['whoami'], { env: { WAYMARK_URL: url, WAYMARK_API_KEY: 'wm_live_x' } });
    expect([wrong.code, wrong.stderr]).toEqual([
      4,
      expect.stringMatching(/\(request [0-9a-f-]{36}\)\nRun `waymark login`/),
    ]);
  });

  it('1: an installation that does not answer is named by its error', async () => {
    const { code, stderr } = await cli(['whoami', '--host', `http://127.0.0.1:${(await freePorts(1))[0]}`]);
    expect(code).toBe(1);
    expect(stderr).toContain('ECONNREFUSED');
  });

  it('1: each field that the API refuses is named', async () => {
    const { code, stderr } = await cli(['link', 'create', 'https://example.com', '--slug', 'a b']);
    expect(code).toBe(1);
    expect(stderr.match(/slug: /g)).toHaveLength(1);
    const many = await cli(['link', 'create', 'nope', '--slug', 'a b']);
    expect(many.stderr).toMatch(/^ {2}destination\.value: .*\n {2}slug: /m);
    for (const address of ['nope', 'localhost:3000/x'])
      expect(await cli(['link', 'create', address])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('destination.value: '),
      });
  });
});

describe('waymark login', () => {
  it('stores a profile that only its owner can read, which later commands use, and logout forgets', async () => {
    const { cli, home } = createCli(run);
    const done = await cli(['login', '--host', `${url}/`, '--profile', 'work'], { input: `${api.organization.key}\n` });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed in to') });
    const file = join(home, '.config/waymark/profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ work: { host: url, key: api.organization.key } });
    expect((await cli(['whoami', '--profile', 'work'])).code).toBe(0);
    expect((await cli(['whoami'], { env: { WAYMARK_PROFILE: 'work' } })).code).toBe(0);
    expect((await cli(['whoami', '--profile', 'home'])).code).toBe(4);
    expect((await cli(['logout', '--profile', 'work'])).code).toBe(0);
    expect((await cli(['whoami', '--profile', 'work'])).code).toBe(4);
  });

  it('130: Ctrl-C at its question ends it', async () => {
    const { code, stderr } = await cli(['login', '--host', url], { input: '\u0003', isTerminal: true });
    expect([code, stderr]).toEqual([130, 'API key: \n']);
  });

  it('stores nothing where the key is wrong', async () => {
    const { cli } = createCli(run);
    expect((await cli(['login', '--host', url], { input: 'wm_live_wrong' })).code).toBe(4);
    expect((await cli(['login', '--host', url], { input: '' })).code).toBe(2);
    expect((await cli(['whoami'])).code).toBe(4);
  });
});

describe('waymark link', () => {
  it('create prints the short address alone, and takes all settings', async () => {
    const address = await make(
      'cli-one',
      '--title',
      'One',
      '--tag',
      'print',
      '--tag',
      'autumn',
      '--max-clicks',
      '5',
      '--expires',
      '2099-01-31',
    );
    expect(address).toMatch(/^http:\/\/\S+\/cli-one$/);
    const { stdout } = await cli(['link', 'get', address, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'One',
      maxClicks: 5,
      expiresAt: '2099-01-31T00:00:00.000Z',
      destination: { value: 'https://example.com/cli-one' },
      tags: expect.arrayContaining([
        expect.objectContaining({ name: 'print' }),
        expect.objectContaining({ name: 'autumn' }),
      ]),
    });
    // What a person types has no scheme.
    const plain = await cli(['link', 'create', 'example.com/plain', '--json']);
    expect(JSON.parse(plain.stdout).destination.value).toBe('https://example.com/plain');
  });

  it('names a link by its address, by domain/slug or by its id', async () => {
    const address = await make('cli-named');
    const { stdout } = await cli(['link', 'get', address, '--json']);
    const { id } = JSON.parse(stdout) as { id: string };
    for (const name of [id, address.replace('http://', '')]) {
      const found = await cli(['link', 'get', name]);
      expect(found.stdout).toContain(`id\t${id}\n`);
    }
    expect(await cli(['link', 'get', `${new URL(address).host}/nothing`])).toMatchObject({ code: 3, stdout: '' });
  });

  it('list prints lines for programs, a table for people, and no control characters of a title', async () => {
    const address = await make('cli-listed', '--title', 'Listed');
    await api.db.query(`update short_links set title = E'Bad \\u009b31m \\u202etitle' where slug = 'cli-listed'`);
    const lines = await cli(['link', 'list', 'cli-listed']);
    expect(lines.stdout).toBe(`${address}\t0\thttps://example.com/cli-listed\tBad  31m  title\n`);
    const table = await cli(['link', 'list', 'cli-listed'], { isTerminal: true, env: { NO_COLOR: '1' } });
    expect(table.stdout).toMatch(/^address +clicks +destination +title\n/);
    const none = await cli(['link', 'list', 'no such link', '--json']);
    expect(JSON.parse(none.stdout)).toEqual([]);
  });

  it('update changes what is named, and refuses to change nothing', async () => {
    const address = await make('cli-changed');
    expect((await cli(['link', 'update', address])).code).toBe(2);
    const { stdout } = await cli([
      'link',
      'update',
      address,
      '--to',
      'https://example.com/new',
      '--inactive',
      '--json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ isActive: false, destination: { value: 'https://example.com/new' } });
  });

  it('delete wants --yes where nobody can be asked', async () => {
    const address = await make('cli-gone');
    expect(await cli(['link', 'delete', address])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await cli(['link', 'delete', address, '--yes'])).toMatchObject({ code: 0, stdout: `Deleted: ${address}\n` });
    expect((await cli(['link', 'get', address])).code).toBe(3);
  });
});

describe('waymark stats, qr, import and export', () => {
  it('counts the clicks of a link by group', async () => {
    const address = await make('cli-clicked');
    const {
      id: linkId,
      domainId,
      folderId,
      organizationId,
    } = JSON.parse((await cli(['link', 'get', address, '--json'])).stdout);
    const click = { organizationId, linkId, domainId, folderId, device: 'mobile' };
    await ingestClicks(
      api.db,
      ['DE', 'DE', 'FR'].map((country) => testClick({ ...click, country })),
    );
    const range = ['--from', '2000-01-01', '--to', '2100-01-01', '--timezone', 'UTC'];
    expect((await cli(['stats', address, ...range])).stdout).toBe('DE\t2\t67 %\nFR\t1\t33 %\n');
    expect((await cli(['stats', address, '--by', 'device', ...range])).stdout).toBe('mobile\t3\t100 %\n');
    const asJson = await cli(['stats', address, ...range, '--json']);
    expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([0, { totalClicks: 3 }]);
  });

  it('draws a code to a file, and exports what it imports', async () => {
    const address = await make('cli-drawn');
    const file = (name: string): string => join(home, name);
    expect((await cli(['qr', address, '-o', file('code.png'), '--size', '300'])).code).toBe(0);
    expect(readFileSync(file('code.png')).subarray(1, 4).toString()).toBe('PNG');
    expect((await cli(['qr', address])).stdout).toContain('<svg');
    writeFileSync(file('rows.csv'), 'destination,slug\nhttps://example.com/row,cli-row\n');
    const imported = await cli(['import', file('rows.csv'), '--json']);
    expect(JSON.parse(imported.stdout)).toMatchObject({ total: 1, state: 'pending' });
    expect((await cli(['import', file('nothing.csv')])).code).toBe(2);
    expect((await cli(['export', '-o', file('links.csv')])).code).toBe(0);
    expect(readFileSync(file('links.csv'), 'utf8')).toContain('cli-drawn');
  });
});

describe('waymark domain', () => {
  it('a domain is named with its port and in its own script too', async () => {
    await createDomain(api.db, api.organization.id, { domain: 'xn--bcher-kva.example', isVerified: false });
    const { code, stdout } = await cli(['link', 'create', 'example.com', '--domain', 'localhost:3001']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('://localhost')]);
    for (const args of [
      ['link', 'create', 'example.com', '--domain', 'bücher.example'],
      ['domain', 'check', 'Bücher.example'],
    ]) {
      const { code, stderr } = await cli(args);
      expect([code, stderr]).toEqual([1, expect.not.stringContaining('There is no')]);
    }
  });

  it('lists domains, and prints the records of a new one', async () => {
    await createDomain(api.db, api.organization.id, { domain: 'cli.example.com' });
    const listed = (await cli(['domain', 'list'])).stdout;
    expect(listed).toContain('cli.example.com\tverified');
    const [, ofInstallation] = /^(\S+)\tof the installation$/m.exec(listed)!;
    expect((await cli(['link', 'create', 'example.com', '--domain', ofInstallation])).stdout).toContain(ofInstallation);
    const added = await cli(['domain', 'add', 'new.example.com']);
    expect(added.stdout).toMatch(/^TXT\t\S+\t\S+/m);
    const asJson = await cli(['domain', 'add', 'other.example.com', '--json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      domain: 'other.example.com',
      dns: { records: [{ type: 'TXT' }] },
    });
    expect(added.stderr).toContain('EDGE_HOSTNAME');
    expect((await cli(['domain', 'check', 'missing.example.com'])).code).toBe(3);
    expect((await cli(['link', 'create', 'example.com', '--domain', 'missing.example.com'])).code).toBe(3);
  });
});

describe('waymark webhook', () => {
  it('sends events as a webhook would, so that a program verifies them, until it is told to stop', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const received: string[] = [];
    const answer = async (request: IncomingMessage): Promise<number> => {
      const verified = sdk.verifyWebhook(await buffer(request), request.headers, { secret });
      const type = await verified.then(
        (event) => event.type,
        () => 'wrong',
      );
      received.push(type);
      return type === 'wrong' ? 401 : 204;
    };
    const receiver = createServer((request, response) => {
      void answer(request).then((status) => response.writeHead(status).end());
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const stop = new AbortController();
    await make('cli-heard');
    await api.db.query(`update events set created_at = created_at - interval '1 minute'`);
    const { port } = receiver.address() as AddressInfo;
    const ended = await cli(
      [
        'webhook',
        'listen',
        '--forward',
        `http://127.0.0.1:${port}/hook`,
        '--secret',
        secret,
        '--type',
        'link.created',
        '--since',
        '2000-01-01T00:00:00Z',
      ],
      { signal: stop.signal, onOutput: (text) => /204/.test(text) && stop.abort() },
    );
    receiver.close();
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/\tlink\.created\t[0-9a-f-]{36}\t204\n/);
    expect(received).toContain('link.created');
    expect(received).not.toContain('wrong');
  });
});

describe('waymark completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s that knows every command', async (shell) => {
    const { code, stdout } = await cli(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['login', 'link', 'create', 'webhook', 'listen']) expect(stdout).toContain(word);
  });
});
