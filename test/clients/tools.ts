import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import { root } from '#scripts/lib/paths.ts';

/** Installs generators of clients by the package managers of their languages, below the cache folder, and runs them. */

/** A command with its arguments. */
export type Command = readonly [program: string, ...args: string[]];

const { WAYMARK_CACHE_DIR } = process.env;
const cache = loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR;

/** A path in the cache folder. */
export const inCache = (name: string): string => join(cache, name);

/** @param path folders in which programs are looked for first. @throws Error with the output of a command that fails. */
export function run([program, ...args]: Command, cwd: string, path = ''): void {
  try {
    execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 64 * 1_048_576,
      // Without proxies of the machine's shell, Go and pip still find their registries by their own settings.
      env: { ...process.env, PATH: `${path}:${process.env.PATH}`, GOFLAGS: '-buildvcs=false' },
    });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${(stdout + stderr).slice(-4_000) || message}`, { cause: error });
  }
}

/** Copies files of `programs/` into a folder, without the ending `.txt`, which hides a file from tools. */
export function copy(folder: string, ...names: readonly string[]): void {
  const programs = join(import.meta.dirname, 'programs');
  for (const name of names) cpSync(join(programs, name), join(folder, name.replace(/\.txt$/, '')));
}

/** Packages of npm in a folder of their own, which are installed where `probe` is there. */
export function installedNpm(name: string, probe: string, packages: readonly string[]) {
  const folder = inCache(name);
  const modules = join(folder, 'node_modules');
  return {
    modules,
    isInstalled: () => existsSync(join(modules, probe)),
    install() {
      mkdirSync(folder, { recursive: true });
      run(['npm', 'install', '--prefix', folder, '--no-audit', '--no-fund', ...packages], folder);
    },
  };
}

/** Packages of Python in an environment of their own, which are installed where the program `probe` is there. */
export function pythonEnvironment(name: string, probe: string, packages: readonly string[]) {
  const folder = inCache(name);
  const bin = join(folder, 'bin');
  return {
    bin,
    isInstalled: () => existsSync(join(bin, probe)),
    install() {
      run(['python3', '-m', 'venv', folder], root);
      run([join(bin, 'pip'), 'install', '--quiet', ...packages], root);
    },
  };
}

/** A program in Go, in a folder of its own. */
export function goModule(name: string, module: string, version: string) {
  const folder = inCache(`${name}-${version}`);
  const program = join(folder, name);
  return {
    program,
    isInstalled: () => existsSync(program),
    install() {
      mkdirSync(folder, { recursive: true });
      run(['env', `GOBIN=${folder}`, 'go', 'install', `${module}@v${version}`], root);
    },
  };
}
