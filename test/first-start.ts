import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { configSections } from '#config/schema.ts';
import { root } from '#scripts/lib/paths.ts';
import { createHome, type NpmStart, npmStart } from './support/npm-start.ts';

/**
 * `npm run first-start`: what a newcomer does, from a clone of the last commit, with empty caches of npm, pip, uv and ours and an
 * empty home folder: `npm start` up to `ready`, a link, a visit, a stop, a second start; then, from another such clone, a few
 * files of `npm test`. Counts go into dist/first-start.json. Not part of the suite: it downloads some 700 MB.
 */

const goalS = 60;
const secondGoalS = 4;
const readyDeadlineMs = 20 * 60_000;
const smallPart = ['test/db/schema.test.ts', 'test/scripts/embedded/temporal/temporal.test.ts'];
const destination = 'https://example.com/a?b=1';
const counts = { passed: 0, failed: 0 };

function say(text: string): void {
  process.stdout.write(`first start: ${text}\n`);
}

async function check(title: string, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
    counts.passed += 1;
    say(`ok: ${title}`);
  } catch (error) {
    counts.failed += 1;
    say(`FAILED: ${title}: ${(error as Error).message}`);
  }
}

function demand(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

/** A folder with a clone, empty caches and an empty home; `await using` removes it. */
interface Newcomer extends AsyncDisposable {
  clone: string;
  env: NodeJS.ProcessEnv;
  startedAt: number;
}

function createNewcomer(): Newcomer {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-first-'));
  const clone = join(folder, 'waymark');
  const env: NodeJS.ProcessEnv = { ...process.env };
  const settings = Object.values(configSections).flatMap((section) => Object.keys(section));
  for (const name of ['NODE_ENV', 'NODE_OPTIONS', 'INIT_CWD', ...settings]) delete env[name];
  for (const name of Object.keys(env)) if (/^npm_(?!config_userconfig$)/.test(name)) delete env[name];
  // Where the index is, is no cache.
  const pipConfig = [join(homedir(), '.config/pip/pip.conf'), join(homedir(), '.pip/pip.conf')].find(existsSync);
  if (pipConfig !== undefined) env.PIP_CONFIG_FILE ??= pipConfig;
  const folders = {
    HOME: 'home',
    XDG_CACHE_HOME: 'home/.cache',
    npm_config_cache: 'npm',
    PIP_CACHE_DIR: 'pip',
    UV_CACHE_DIR: 'uv',
  };
  for (const [name, path] of Object.entries(folders)) mkdirSync((env[name] = join(folder, path)), { recursive: true });
  // Neither this checkout's Node nor a Temporal that is at hand.
  const path = (env.PATH ?? '').split(delimiter).filter((entry) => {
    return !entry.includes('node_modules') && !existsSync(join(entry, 'temporal'));
  });
  env.PATH = path.join(delimiter);
  const startedAt = performance.now();
  execFileSync('git', ['clone', '--quiet', '--no-local', root, clone], { stdio: 'inherit' });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return { clone, env, startedAt, [Symbol.asyncDispose]: async () => remove() };
}

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1_000).toFixed(1);

async function useIt(run: NpmStart): Promise<void> {
  await check('the API makes a link', async () => {
    const response = await fetch(`${run.row('API')}/short-link`, {
      method: 'POST',
      headers: { 'x-api-key': run.row('API key'), 'content-type': 'application/json' },
      body: JSON.stringify({ destination: { type: 'link', value: destination }, slug: 'hello' }),
    });
    demand(response.status === 201, `status ${response.status}: ${await response.text()}`);
  });
  await check('the edge redirects, by its name and by its address', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const address = new URL('/hello', run.row('Edge'));
      address.hostname = host;
      const response = await fetch(address, { redirect: 'manual' });
      const location = response.headers.get('location');
      demand(response.status === 302 && location === destination, `${host}: ${response.status} ${location}`);
    }
  });
}

async function stop(run: NpmStart): Promise<void> {
  await check('it stops in order', async () => {
    process.kill(run.pid, 'SIGTERM');
    const code = await run.exited;
    demand(code === 0, `exit code ${code}:\n${run.output()}`);
  });
}

async function start(): Promise<void> {
  await using newcomer = createNewcomer();
  await using home = await createHome();
  const { clone: cwd, env, startedAt } = newcomer;
  await using first = npmStart(home, {}, { cwd, env, deadlineMs: readyDeadlineMs });
  let isReady = false;
  await check('npm start comes to ready at the first try', async () => {
    await first.line(/^ready$/);
    isReady = true;
  });
  say(`clone to ready: ${secondsSince(startedAt)} s (goal: ${goalS} s)`);
  if (!isReady) return;
  for (const line of first
    .output()
    .split('\n')
    .filter((text) => /^bootstrap: | s$|^Started/.test(text)))
    say(`  ${line}`);
  await useIt(first);
  await stop(first);
  await check('the second start comes to ready', async () => {
    const againAt = performance.now();
    await using second = npmStart(home, {}, { cwd, env, deadlineMs: readyDeadlineMs });
    await second.line(/^ready$/);
    say(`second start to ready: ${secondsSince(againAt)} s (goal: ${secondGoalS} s)`);
    process.kill(second.pid, 'SIGTERM');
    await second.exited;
  });
}

async function test(): Promise<void> {
  await using newcomer = createNewcomer();
  const { clone: cwd, env, startedAt } = newcomer;
  await check('npm test runs at the first try', async () => {
    const child = spawn('npm', ['test', '--', ...smallPart], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
    demand(code === 0, `exit code ${code}:\n${output}`);
  });
  say(`clone to the end of ${smallPart.length} test files: ${secondsSince(startedAt)} s`);
}

await start();
await test();
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(join(root, 'dist', 'first-start.json'), JSON.stringify(counts));
say(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
