import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

/** The folder of the Go SDK. */
export const goSdkFolder = join(root, 'sdk/go');

const run = promisify(execFile);
// The SDK needs no module of others, and no newer Go than there is.
const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=mod', GOWORK: 'off' };

/** Skips a test where there is no Go of the version that `sdk/go/go.mod` names. */
export async function skipWithoutGo(context: TestContext): Promise<void> {
  const { stdout } = await run('go', ['version']).catch(() => ({ stdout: '' }));
  const [, minor = '0'] = /go1\.(\d+)/.exec(stdout) ?? [];
  context.skip(Number(minor) < 24, 'There is no Go 1.24 or newer here.');
}

/** Runs a program of Go, such as `go` or `gofmt`. @returns its output. @throws Error with what it printed when it fails. */
export async function runGo(program: string, args: readonly string[], folder: string, more: NodeJS.ProcessEnv = {}) {
  const { stdout } = await run(program, [...args], { cwd: folder, env: { ...env, ...more } });
  return stdout;
}

/** Makes a module in a folder of its own that uses the SDK of this checkout, and lets `use` build in it. */
export async function inGoProject<T>(
  programs: Record<string, string>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-go-'));
  try {
    const sdk = 'github.com/waymark/waymark/sdk/go';
    const module = [
      'module example.com/program',
      'go 1.24',
      `require ${sdk} v0.0.0`,
      `replace ${sdk} => ${goSdkFolder}`,
    ];
    writeFileSync(join(folder, 'go.mod'), `${module.join('\n')}\n`);
    for (const [name, program] of Object.entries(programs)) writeFileSync(join(folder, name), program);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A value without what Go's zero values do not show, its fields in order, its moments in one form. */
export function bareOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bareOf);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return Date.parse(value);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== 0);
  return Object.fromEntries(fields.map(([name, field]) => [name, bareOf(field)] as const).toSorted());
}
