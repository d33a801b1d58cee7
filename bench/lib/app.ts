import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Launch, launchOf } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';
import { describeExit, run } from '#scripts/lib/running.ts';
import { onAppCore } from './machine.ts';

/** A process that is measured, or that takes part. */
export interface App {
  readonly pid: number;
  /** Ends it in order: clicks on disk are shipped first. */
  stop(): Promise<void>;
}

/** A process to start. */
interface AppOptions {
  /** Prefix of its lines in the output. */
  name: string;
  /** Path below the checkout. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** Whether it has the measured core to itself; else it runs beside the client. */
  isMeasured: boolean;
}

const startDeadlineMs = 60_000;
const stopSteps = [{ signal: 'SIGTERM', waitMs: 15_000 }] as const;
// Nothing else of the shell: a LOG_LEVEL or NODE_OPTIONS would change the measured process.
const inherited = ['PATH', 'HOME', 'LANG', 'XDG_CACHE_HOME', 'WAYMARK_CACHE_DIR', 'TEMPORAL_CLI'];

/** How `npm start` starts a process; servers of a benchmark's own are started without any options. */
function launch(script: string, env: NodeJS.ProcessEnv): Launch {
  if (script === 'worker.ts') return launchOf('worker', root);
  if (script === 'server.ts') return launchOf(env.SERVE === 'edge' ? 'edge' : 'api', root);
  return { nodeArgs: [], env: {} };
}

/** Starts a process as `npm start` does. @returns when it says that it serves. @throws Error when it does not. */
export async function startApp({ name, script, env, isMeasured }: AppOptions): Promise<App> {
  const own = launch(script, env);
  const args = [...own.nodeArgs, join(root, script)];
  const running = run({
    ...(isMeasured ? onAppCore(process.execPath, args) : { command: process.execPath, args }),
    isBackground: script === 'worker.ts',
    env: { ...kept(), NODE_ENV: 'production', LOG_LEVEL: 'warn', ...own.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    onLine: (line) => console.error(`${name} | ${line}`),
  });
  const ready = new Promise<'ready'>((resolve) => {
    running.child.on('message', (message: unknown) => {
      if ((message as { type?: unknown } | null)?.type === 'ready') resolve('ready');
    });
  });
  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    await running.stop(stopSteps);
  };
  const started = await Promise.race([ready, running.exited, sleep(startDeadlineMs, undefined, { ref: false })]);
  if (started !== 'ready') {
    await stop();
    throw new Error(`${name} ${started === undefined ? 'does not get ready' : describeExit(started)}`);
  }
  void running.exited.then((exit) => {
    if (!isStopping) console.error(`${name} ${describeExit(exit)}`);
  });
  return { pid: running.pid!, stop };
}

function kept(): NodeJS.ProcessEnv {
  return Object.fromEntries(inherited.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
}
