import { compileCacheDir } from '#scripts/lib/paths.ts';
import { run, type StopStep } from '#scripts/lib/running.ts';
import type { Service } from './supervise.ts';

/** A Node process of ours: says `{type: 'ready'}` over its IPC channel when it serves, and exits when that closes. */
export interface NodeChildOptions {
  name: string;
  /** Absolute path of the file to run. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** Time that it gets to end by itself after SIGTERM, in milliseconds. */
  stopWaitMs: number;
  onLine: (line: string) => void;
}

/** Makes a service of a Node process. */
export function nodeChild({ name, script, env, stopWaitMs, onLine }: NodeChildOptions): Service {
  const steps: readonly StopStep[] = [{ signal: 'SIGTERM', waitMs: stopWaitMs }];
  return {
    name,
    start: async () => {
      const running = run({
        command: process.execPath,
        args: [script],
        env: { NODE_COMPILE_CACHE: compileCacheDir, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        onLine,
      });
      const ready = new Promise<void>((resolve) => {
        running.child.on('message', (message: unknown) => {
          if ((message as { type?: unknown } | null)?.type === 'ready') resolve();
        });
      });
      const { pid, exited } = running;
      return { pid, exited, ready, stop: ({ hurry = false } = {}) => running.stop(hurry ? [] : steps) };
    },
  };
}
