// @module-tag process

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

// package-lock.json, and `npm run lock`, which completes it.

type Packages = Record<string, { version: string; integrity?: string; link?: boolean }>;

const readPackages = (folder: string): Packages =>
  (JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Packages }).packages;

test('every entry of the lock file has the SHA-512 sum of its package', () => {
  const entries = Object.entries(readPackages(root)).filter(([path]) => path !== '');
  expect(entries.length).toBeGreaterThan(500);
  const without = entries.filter(([, entry]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? ''));
  expect(without.map(([path]) => path)).toEqual([]);
});

test('an entry that is added gets its hash from the registry; without one the file stays as it was', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-lock-'));
  for (const name of ['scripts', 'bin']) mkdirSync(join(folder, name));
  cpSync(join(root, 'scripts', 'complete-lock.mjs'), join(folder, 'scripts', 'complete-lock.mjs'));
  const packages = {
    '': {},
    'node_modules/tool': {
      version: '1.0.0',
      integrity: 'sha512-tool',
      optionalDependencies: { '@tool/darwin-arm64': '1.0.0', '@tool/linux-x64-musl': '1.0.0' },
    },
  };
  const file = join(folder, 'package-lock.json');
  writeFileSync(file, JSON.stringify({ packages }));
  const complete = (npm: string): string => {
    writeFileSync(join(folder, 'bin', 'npm'), `#!/bin/sh\n${npm}\n`);
    chmodSync(join(folder, 'bin', 'npm'), 0o755);
    const env = { ...process.env, PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) };
    return execFileSync(process.execPath, [join(folder, 'scripts', 'complete-lock.mjs')], {
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  };
  expect(() => complete('case "$2" in *musl*) exit 1;; esac; echo "sha512-of $2"')).toThrow(
    /@tool\/linux-x64-musl 1\.0\.0/,
  );
  expect(Object.keys(readPackages(folder))).toHaveLength(2);
  complete('echo "sha512-of $2"');
  expect(readPackages(folder)['node_modules/@tool/darwin-arm64']?.integrity).toBe('sha512-of @tool/darwin-arm64@1.0.0');
  expect(readPackages(folder)['node_modules/@tool/linux-x64-musl']?.integrity).toMatch(/^sha512-of/);
  rmSync(folder, { recursive: true });
});
