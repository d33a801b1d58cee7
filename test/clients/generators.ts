import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '#config/load.ts';
import { root } from '#scripts/lib/paths.ts';

/** A generator of clients, and the program that calls the API by its client. */
export interface Generator {
  language: 'TypeScript' | 'TypeScript-fetch' | 'Python' | 'Go';
  /** Whether the generator is there. */
  isInstalled(): boolean;
  /** Installs the generator into the cache folder; a few minutes. @throws Error when a tool of the machine is missing. */
  install(): void;
  /** Generates a client of `spec` in `folder` and compiles it strictly. @returns the command that makes the calls. */
  build(folder: string, spec: string): Command;
}

/** A command with its arguments. */
export type Command = readonly [program: string, ...args: string[]];

const programs = join(import.meta.dirname, 'programs');
const versions = { fetch: '7.13.0', openapiFetch: '0.17.0', python: '0.29.1', mypy: '2.4.1', go: '2.8.2' };
const { WAYMARK_CACHE_DIR } = process.env;
const cache = loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR;
const pythonBin = join(cache, `openapi-python-client-${versions.python}`, 'bin');
const fetchModules = join(cache, `openapi-typescript-${versions.fetch}`, 'node_modules');
const nodeTypes = join(root, 'node_modules/@types');
const goBin = join(cache, `oapi-codegen-${versions.go}`);

function run([program, ...args]: Command, cwd: string, path = ''): void {
  try {
    execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      // Without proxies of the machine's shell, Go and pip still find their registries by their own settings.
      env: { ...process.env, PATH: `${path}:${process.env.PATH}`, GOFLAGS: '-buildvcs=false' },
    });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${(stdout + stderr).slice(0, 4_000) || message}`, { cause: error });
  }
}

function copy(folder: string, ...names: readonly string[]): void {
  for (const name of names) cpSync(join(programs, name), join(folder, name.replace(/\.txt$/, '')));
}

const typescript: Generator = {
  language: 'TypeScript',
  isInstalled: () => true,
  install: () => undefined,
  build(folder, spec) {
    const bin = join(root, 'node_modules/.bin');
    copy(folder, 'calls.ts', 'tsconfig.json');
    run([join(bin, 'oazapfts'), spec, 'client.ts'], folder);
    run([join(bin, 'tsc'), '-p', folder], folder);
    return [process.execPath, '--disable-warning=ExperimentalWarning', join(folder, 'calls.ts')];
  },
};

const typescriptFetch: Generator = {
  language: 'TypeScript-fetch',
  isInstalled: () => existsSync(join(fetchModules, 'openapi-fetch')),
  install() {
    const folder = join(fetchModules, '..');
    mkdirSync(folder, { recursive: true });
    const packages = [
      `openapi-typescript@${versions.fetch}`,
      `openapi-fetch@${versions.openapiFetch}`,
      'typescript@5.9.3',
    ];
    run(['npm', 'install', '--prefix', folder, '--no-audit', '--no-fund', ...packages], folder);
  },
  build(folder, spec) {
    copy(folder, 'calls-fetch.ts');
    // Where the program finds openapi-fetch.
    symlinkSync(fetchModules, join(folder, 'node_modules'));
    run([join(fetchModules, '.bin/openapi-typescript'), spec, '-o', 'schema.ts'], folder);
    const strict = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--skipLibCheck',
    ];
    const flags = [...strict, '--allowImportingTsExtensions', '--types', 'node', '--typeRoots', nodeTypes];
    run([join(root, 'node_modules/.bin/tsc'), ...flags, 'calls-fetch.ts'], folder);
    return [process.execPath, '--disable-warning=ExperimentalWarning', join(folder, 'calls-fetch.ts')];
  },
};

const python: Generator = {
  language: 'Python',
  isInstalled: () => existsSync(join(pythonBin, 'openapi-python-client')),
  install() {
    run(['python3', '-m', 'venv', join(pythonBin, '..')], root);
    const packages = [`openapi-python-client==${versions.python}`, `mypy==${versions.mypy}`];
    run([join(pythonBin, 'pip'), 'install', '--quiet', ...packages], root);
  },
  build(folder, spec) {
    copy(folder, 'calls.py', 'python.yaml', 'mypy.ini');
    const command = [join(pythonBin, 'openapi-python-client'), 'generate', '--path', spec, '--output-path', 'waymark'];
    // The generator formats its files by ruff, which is beside it.
    run([...command, '--meta', 'none', '--config', 'python.yaml', '--fail-on-warning'] as never, folder, pythonBin);
    run([join(pythonBin, 'mypy'), 'waymark', 'calls.py'], folder);
    return [join(pythonBin, 'python'), join(folder, 'calls.py')];
  },
};

const go: Generator = {
  language: 'Go',
  isInstalled: () => existsSync(join(goBin, 'oapi-codegen')),
  install() {
    mkdirSync(goBin, { recursive: true });
    const module = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.go}`;
    run(['env', `GOBIN=${goBin}`, 'go', 'install', module], root);
  },
  build(folder, spec) {
    copy(folder, 'calls.go', 'go.mod.txt');
    mkdirSync(join(folder, 'waymark'));
    const out = join('waymark', 'client.go');
    run([join(goBin, 'oapi-codegen'), '-generate', 'types,client', '-package', 'waymark', '-o', out, spec], folder);
    run(['go', 'mod', 'tidy'], folder);
    run(['go', 'vet', './...'], folder);
    run(['go', 'build', '-o', 'calls', '.'], folder);
    return [join(folder, 'calls')];
  },
};

/** Every generator that `npm run clients` tries. */
export const generators: readonly Generator[] = [typescript, typescriptFetch, python, go];
