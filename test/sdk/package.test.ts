// @module-tag process

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { prepareSdk } from '#test/support/sdk.ts';

const folder = join(root, 'sdk/typescript');
const run = promisify(execFile);
const parent = mkdtempSync(join(tmpdir(), 'waymark-sdk-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** What is used of publint. */
interface Publint {
  publint(options: { pkgDir: string; pack: false }): Promise<{ messages: unknown[] }>;
}
/** What is used of @arethetypeswrong/core. */
interface Attw {
  createPackageFromTarballData(bytes: Uint8Array): object;
  checkPackage(created: object): Promise<{ problems?: unknown[] }>;
}

/** Imports a package of the SDK's own, which the checkout does not have. */
async function importOf<T>(name: string): Promise<T> {
  const path = createRequire(join(folder, 'package.json')).resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}

describe('the package', { tags: 'nightly' }, () => {
  let tarball: string;
  beforeAll(async () => {
    await prepareSdk('build');
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', parent], { cwd: folder });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    tarball = join(parent, filename);
  });

  it('is at most 15 kB after gzip, without run-time dependencies', () => {
    for (const name of ['index.js', 'index.cjs'])
      expect(gzipSync(readFileSync(join(folder, 'dist', name))).length).toBeLessThanOrEqual(15_000);
    const described = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(described.dependencies).toBeUndefined();
  });

  it('has no fault that publint or attw finds', async () => {
    const { publint } = await importOf<Publint>('publint');
    expect((await publint({ pkgDir: folder, pack: false })).messages).toEqual([]);
    const attw = await importOf<Attw>('@arethetypeswrong/core');
    const checked = await attw.checkPackage(attw.createPackageFromTarballData(readFileSync(tarball)));
    expect(checked.problems).toEqual([]);
  });

  it.each([
    ['module', `import { createWaymark, verifyWebhook } from '@waymark/sdk';`],
    ['commonjs', `const { createWaymark, verifyWebhook } = require('@waymark/sdk');`],
  ])('works in an empty project of type %s, where its types compile', async (type, start) => {
    const project = join(parent, type);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type }));
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', tarball], { cwd: project });
    const program = `${start}
const answer = () => Response.json({ id: 'a', slug: 'spring' });
const waymark = createWaymark({ baseUrl: 'https://api.waymark.example', apiKey: 'key', fetch: async () => answer() });
waymark.links.get('a').then(({ slug }) => console.log(slug, typeof verifyWebhook));
`;
    writeFileSync(join(project, 'program.js'), program);
    expect((await run(process.execPath, ['program.js'], { cwd: project })).stdout).toBe('spring function\n');
    writeFileSync(
      join(project, 'program.ts'),
      program.replace(/const (\{.*\}) = require\((.*)\)/, 'import $1 from $2'),
    );
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
    const compiler = join(folder, 'node_modules/.bin/tsc');
    await expect(run(compiler, [...strict, 'program.ts'], { cwd: project })).resolves.toBeDefined();
  });
});
