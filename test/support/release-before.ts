import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#scripts/lib/paths.ts';

/** The release before the version in package.json (docs/release.md, step 7). */
export const releaseBefore = { tag: 'v0.1.0', commit: '35797ff489b187f3f734a82e8693631e3a52ea49' } as const;

// The rooms that its processes and its command line load.
const rooms =
  'activities adapters api commands config core db edge relay scripts start workflows server.ts worker.ts package.json package-lock.json';

/** The code of the release before in a folder of its own, with the packages of this checkout; `await using` removes it. */
export interface ReleaseBefore extends AsyncDisposable {
  folder: string;
}

function git(...args: string[]): { status: number | null; stdout: Buffer } {
  return spawnSync('git', args, { cwd: root, maxBuffer: 64 * 1_024 ** 2, stdio: ['ignore', 'pipe', 'ignore'] });
}

function has(name: string): boolean {
  return git('cat-file', '-e', `${name}^{tree}`).status === 0;
}

/**
 * Finds the commit of the release before, by its tag or by itself. A shallow clone lacks it: with `FETCH_TOOLS` set, as by `.ci/nightly`,
 * it is fetched.
 * @returns undefined where there is none, or where these files are no clone.
 */
export function findReleaseBefore(): string | undefined {
  const { tag, commit } = releaseBefore;
  if (!existsSync(join(root, '.git'))) return undefined;
  const found = [tag, commit].find(has);
  if (found !== undefined) return found;
  const command = ['fetch', '--quiet', '--depth=1', 'origin', commit];
  const lack = `This clone lacks the release before, ${tag}: git ${command.join(' ')}`;
  if (process.env.FETCH_TOOLS !== undefined) {
    git(...command);
    if (has(commit)) return commit;
  }
  console.warn(`${lack}. Its test is skipped.`);
  return undefined;
}

/** Finds the commit before this one. @returns undefined in a clone that lacks it, or where these files are no clone. */
export function findCommitBefore(): string | undefined {
  const name = 'HEAD~1';
  return existsSync(join(root, '.git')) && has(name) ? name : undefined;
}

/** Writes the code of a commit into a folder. */
export function checkOutRelease(commit: string): ReleaseBefore {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-before-'));
  const { stdout: archive } = git('archive', '--format=tar', commit, ...rooms.split(' '));
  execFileSync('tar', ['-x', '-f', '-', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { folder, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
}
