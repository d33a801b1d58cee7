import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { root } from '#scripts/lib/paths.ts';
import { findPython } from '#scripts/lib/python.ts';

/** A Python, and a folder with the packages that the SDK and its tests need. */
export interface PythonTools {
  python: string;
  packages: string;
}

// flit_core is the one of sdk/python/pyproject.toml.
const needed = ['httpx==0.28.1', 'mypy==2.4.1', 'flit_core==4.2.0'];

/**
 * Finds Python 3.10 or newer, and in the cache folder the packages that the SDK and its tests need. With `FETCH_TOOLS` set, as by
 * `.ci/nightly`, pip brings them there.
 * @returns undefined where one is missing.
 */
export function findPythonTools(): PythonTools | undefined {
  const { FETCH_TOOLS, WAYMARK_CACHE_DIR } = process.env;
  const python = findPython();
  try {
    if (python === undefined) throw new Error('There is no Python 3.10 or newer with pip and venv.');
    const version = execFileSync(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
      encoding: 'utf8',
    }).trim();
    const cacheDir = loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR;
    const packages = join(cacheDir, [`python-${version}`, ...needed].join('-').replaceAll('==', '-'));
    if (!existsSync(packages)) {
      if (FETCH_TOOLS === undefined) throw new Error('FETCH_TOOLS=1 fetches its packages, by pip.');
      const draft = mkdtempSync(join(cacheDir, '.fetched-'));
      const how = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--dest', draft];
      execFileSync(python, ['-m', 'pip', 'download', ...how, ...needed], { stdio: 'pipe' });
      if (!existsSync(packages)) renameSync(draft, packages);
      rmSync(draft, { recursive: true, force: true });
    }
    return { python, packages };
  } catch (error) {
    console.warn(`The SDK for Python is not tested. ${(error as Error).message}`);
    return undefined;
  }
}

/** Skips a test where the tools are missing. @returns them */
export function requirePythonTools(context: TestContext): PythonTools {
  return findPythonTools() ?? context.skip('There is no Python with the packages that the SDK needs.');
}

/** The built SDK in a virtual environment of its own. */
export interface InstalledPythonSdk extends Disposable {
  folder: string;
  python: string;
}

/** Builds the wheel of the SDK, and installs it and mypy without a network. */
export async function installPythonSdk({ python, packages }: PythonTools): Promise<InstalledPythonSdk> {
  const run = promisify(execFile);
  const folder = mkdtempSync(join(tmpdir(), 'waymark-python-'));
  // pip gets its build tool from there too.
  const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: packages, PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  const build = join(root, 'scripts/build/sdk-python.ts');
  const built = await run(process.execPath, [build, '--out', folder], { env });
  await run(python, ['-m', 'venv', join(folder, 'venv')]);
  const own = join(folder, 'venv/bin/python');
  await run(own, ['-m', 'pip', 'install', '--quiet', built.stdout.trim(), 'mypy'], { env });
  return {
    folder,
    python: own,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
