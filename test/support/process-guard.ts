import childProcess, { ChildProcess } from 'node:child_process';
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

/** Children that a test still has. One that outlives its process would hold the output that it shares, and vitest waits for its end. */
const living = new Set<ChildProcess>();

function keep(child: unknown): void {
  if (!(child instanceof ChildProcess)) return;
  living.add(child);
  child.once('exit', () => living.delete(child));
}

const library = childProcess as unknown as Record<string | symbol, ((...args: unknown[]) => unknown) | true>;
// Files share a process, and this file runs before each of them.
if (library[guarded] !== true) {
  library[guarded] = true;
  for (const name of starters) {
    const start = library[name] as (...args: unknown[]) => unknown;
    const refusing = (...args: unknown[]): unknown => {
      refuseUntagged(args[0]);
      const child = start(...args);
      keep(child);
      return child;
    };
    // With the form that `promisify` takes.
    library[name] = Object.defineProperties(refusing, Object.getOwnPropertyDescriptors(start));
  }
  syncBuiltinESMExports();
  // Vitest ends its processes so. A failed test may have left children behind.
  process.once('SIGTERM', () => {
    for (const child of living) child.kill('SIGKILL');
    // Vitest's own `process.exit` throws.
    process.kill(process.pid, 'SIGKILL');
  });
}
