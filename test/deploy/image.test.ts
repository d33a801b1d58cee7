import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '#scripts/lib/paths.ts';
import { imageEnvironment, readFromRoot, settingNames } from './settings.ts';
import { hasCommand } from '#test/support/commands.ts';

// The image cannot be built here: what would go into it is looked at instead.

const entries = [
  'server.ts',
  'worker.ts',
  'workflows/index.ts',
  'scripts/cli.ts',
  'scripts/build/workflows.ts',
  'scripts/build/console.ts',
  'scripts/build/site.ts',
  'scripts/release/pack.ts',
  'scripts/geoip.ts',
];
const copied = readFromRoot('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));
const isCopied = (path: string): boolean => copied.some((entry) => path === entry || path.startsWith(`${entry}/`));
const importPattern = /^(?:import|export)\s(?!type\b)[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

/** Files and packages that are loaded when a file is run; types alone are not. */
function loadedBy(entry: string): { files: string[]; packages: string[] } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  // Grows while it is walked.
  for (const file of files) {
    if (!/\.m?ts$|\.mjs$/.test(file)) continue;
    for (const match of readFileSync(join(root, file), 'utf8').matchAll(importPattern)) {
      const name = match[1] ?? match[2] ?? match[3]!;
      if (name.startsWith('.')) files.add(relative(root, resolve(root, dirname(file), name)));
      else if (name.startsWith('#')) files.add(name.slice(1));
      else if (!name.startsWith('node:'))
        packages.add(
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        );
    }
  }
  return { files: [...files], packages: [...packages] };
}

describe('what is copied into the image', () => {
  test('the files that the image copies exist', () => {
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(copied.length).toBeGreaterThan(10);
  });

  test.each(entries)('the image has every file that %s loads', (entry) => {
    const { files, packages } = loadedBy(entry);
    expect(files.filter((file) => !isCopied(file))).toEqual([]);
    expect(packages.filter((name) => !(name in manifest.dependencies))).toEqual([]);
    // Else nothing was found, and nothing could be missing.
    expect(files.length).toBeGreaterThan(1);
  });

  test.each([
    ['scripts/build/workflows.ts', /const inputs = \[([^\]]+)\]/],
    ['scripts/build/site.ts', /inputs: \[([^\]]+?)\.\.\./],
  ])('the image has the files from which %s builds', (script, listed) => {
    const [, list = ''] = listed.exec(readFromRoot(script)) ?? [];
    const inputs = [...list.matchAll(/'([^']+)'/g)].map(([, path]) => path!);
    expect(inputs.length).toBeGreaterThan(1);
    expect(inputs.filter((path) => !isCopied(path))).toEqual([]);
  });

  test('the image has neither data, nor secrets, nor tests', () => {
    expect(['.env', '.data', 'deploy/.env', 'test', 'node_modules', '.git', 'dist'].filter(isCopied)).toEqual([]);
  });
});

describe('the Dockerfile', () => {
  test('a build may name its commit, which is part of the version of its workers', () => {
    expect(readFromRoot('Dockerfile')).toContain('ARG BUILD_COMMIT=\nENV BUILD_COMMIT=${BUILD_COMMIT}\n');
    expect(settingNames).toContain('BUILD_COMMIT');
  });

  test('the Dockerfile has the Node version of package.json', () => {
    expect(readFromRoot('Dockerfile')).toContain(`ARG NODE_IMAGE=node:${manifest.dependencies.node}-trixie-slim`);
  });

  test('the Dockerfile sets only settings that Waymark reads', () => {
    const { NODE_ENV: mode, ...settings } = imageEnvironment();
    expect(mode).toBe('production');
    expect(settings).toMatchObject({ HOST: '0.0.0.0', WAYMARK_DATA_DIR: '/var/lib/waymark' });
    expect(Object.keys(settings).filter((name) => !settingNames.has(name))).toEqual([]);
  });

  test('the container does not run as root, and stops by SIGTERM', () => {
    const text = readFromRoot('Dockerfile');
    expect(text).toMatch(/^USER 1000:1000$/m);
    expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(text).toMatch(/^CMD \["node", "server.ts"\]$/m);
  });

  test('the health check of the Dockerfile runs as it is written', { tags: 'process' }, () => {
    const [, list = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(readFromRoot('Dockerfile')) ?? [];
    const [command, ...args] = JSON.parse(list) as string[];
    expect(command).toBe('node');
    // Port 1 has no listener.
    const { status, stderr } = spawnSync(process.execPath, args, {
      env: { ...process.env, METRICS_PORT: '1' },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  });

  // Skipped where hadolint is not on the PATH: nothing that npm brings has it.
  test.skipIf(!hasCommand('hadolint'))('hadolint accepts the Dockerfile', { tags: 'process' }, () => {
    const { status, stdout } = spawnSync('hadolint', ['Dockerfile'], { cwd: root, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
