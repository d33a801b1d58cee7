import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, runIn } from '#scripts/lib/folder-packages.mjs';
import { waitForLock } from '#scripts/lib/lock.mjs';
import { root } from '#scripts/lib/paths.ts';
import { describeApi } from '#scripts/openapi.ts';

// `npm run sdk`: generates types and operations from the answer of `/doc` and builds `@waymark/sdk` into sdk/typescript/dist.
// With --generate it stops after the first half, which checks and tests need.

const folder = join('sdk', 'typescript');
const own = (name: string): string => join(root, folder, name);
const deadlineMs = 10 * 60_000;

/** Writes `src/generated`, unless it is that of the API's present description. @throws Error when the generator fails. */
export async function generateSdk(say: (line: string) => void): Promise<void> {
  await locked(say, () => generate(say));
}

/** Builds what `npm pack` in `sdk/typescript` carries, unless `dist` is that of the present sources. */
export async function buildSdk(say: (line: string) => void): Promise<void> {
  await locked(say, async () => {
    await generate(say);
    const sources = readdirSync(own('src')).filter((name) => name.endsWith('.ts'));
    const inputs = [
      ...sources.map((name) => `src/${name}`),
      'src/generated/stamp',
      'tsdown.config.mjs',
      'tsconfig.json',
    ];
    const stamp = hashOf(inputs.map((name) => readFileSync(own(name))));
    if (isFresh('dist', stamp)) return;
    await runIn(folder, process.execPath, ['node_modules/.bin/tsdown']);
    cpSync(join(root, 'LICENSE'), own('dist/LICENSE'));
    writeFileSync(own('dist/stamp'), stamp);
    say('built');
  });
}

async function generate(say: (line: string) => void): Promise<void> {
  const document = JSON.stringify(await describeApi());
  const inputs = ['openapi-ts.config.mjs', 'package-lock.json'].map((name) => readFileSync(own(name)));
  const stamp = hashOf([document, ...inputs]);
  if (isFresh('src/generated', stamp)) return;
  rmSync(own('src/generated'), { recursive: true, force: true });
  mkdirSync(own('src/generated'));
  writeFileSync(own('src/generated/openapi.json'), document);
  await runIn(folder, process.execPath, ['node_modules/.bin/openapi-ts']);
  writeFileSync(own('src/generated/stamp'), stamp);
  say('types and operations generated');
}

/** Tests of two processes may want the SDK at once. */
async function locked(say: (line: string) => void, work: () => Promise<void>): Promise<void> {
  await installPackages('sdk/typescript', say);
  const lock = await waitForLock(join(root, 'dist', 'sdk.lock'), { deadlineMs });
  if (lock.holder !== undefined) throw new Error(`Another build of the SDK (process ${lock.holder}) does not end.`);
  try {
    await work();
  } finally {
    lock.release();
  }
}

function isFresh(target: string, stamp: string): boolean {
  const file = own(`${target}/stamp`);
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

if (import.meta.main) {
  const say = (line: string): void => console.log(`sdk: ${line}`);
  await (process.argv.includes('--generate') ? generateSdk(say) : buildSdk(say));
}
