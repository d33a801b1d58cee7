import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { TestRunner } from 'vitest';

// Holds the tag `process`: a test without it starts no process. Where such tests are left out, as by `npm run test:fast`,
// neither do hooks and the top level of files, which run for every file.
const starters = ['spawn', 'spawnSync', 'fork', 'exec', 'execSync', 'execFile', 'execFileSync'] as const;
// Lists the checkout's files in milliseconds.
const allowed = new Set<unknown>(['git']);
const guarded = Symbol.for('waymark.process-guard');

function refuseUntagged(command: unknown): void {
  if (allowed.has(command)) return;
  const test = TestRunner.getCurrentTest();
  const mayStart = test === undefined ? TestRunner.matchesTags(['process']) : test.tags?.includes('process');
  if (!mayStart)
    throw new Error(`${String(command)} is started outside a test with the tag "process" (CONTRIBUTING.md)`);
}

const library = childProcess as unknown as Record<string | symbol, ((...args: unknown[]) => unknown) | true>;
// Files share a process, and this file runs before each of them.
if (library[guarded] !== true) {
  library[guarded] = true;
  for (const name of starters) {
    const start = library[name] as (...args: unknown[]) => unknown;
    const refusing = (...args: unknown[]): unknown => {
      refuseUntagged(args[0]);
      return start(...args);
    };
    // With the form that `promisify` takes.
    library[name] = Object.defineProperties(refusing, Object.getOwnPropertyDescriptors(start));
  }
  syncBuiltinESMExports();
}
