import { join } from 'node:path';
import { launchOf } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';
import { nodeChild } from '#scripts/supervisor/processes.ts';
import type { Service } from '#scripts/supervisor/supervise.ts';
import { childEnvironment } from './child-environment.ts';
import { freePorts } from './free-ports.ts';
import { temporalForTest } from './stack.ts';

/** An API, an edge or a worker in a process of its own, without a supervisor that restarts it; `await using` kills it where the test has not. */
export interface ProductProcess extends AsyncDisposable {
  pid: number;
  /** Where an API or an edge serves. */
  port: number;
  url: string;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
}

type Role = 'api' | 'edge' | 'worker';

const manyCalls = '1000000000';
const stopWaitMs = 10_000;

/**
 * A process as `npm start` runs it, but for a worker's low priority: beside other programs of a busy machine it would hardly run.
 * @param checkout folder with its code.
 */
export function productService(
  role: Role,
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
  checkout = root,
): Service {
  const isWorker = role === 'worker';
  return nodeChild({
    name: role,
    script: join(checkout, isWorker ? 'worker.ts' : 'server.ts'),
    launch: launchOf(role, checkout),
    env: isWorker ? env : { ...env, SERVE: role },
    stopWaitMs,
    onLine,
  });
}

/**
 * Starts `server.ts` or `worker.ts` over a database; resolves when it serves.
 * @param env beside the settings that all of them have.
 * @param lines get what it logs.
 * @param checkout folder with its code.
 */
export async function startProcess(
  role: Role,
  databaseUrl: string,
  env: NodeJS.ProcessEnv = {},
  lines: string[] = [],
  checkout = root,
): Promise<ProductProcess> {
  const [free] = await freePorts(1);
  const portName = role === 'edge' ? 'EDGE_PORT' : 'PORT';
  const port = Number(env[portName] ?? free);
  const { address, namespace } = temporalForTest();
  const settings: NodeJS.ProcessEnv = {
    ...childEnvironment,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a secret key of at least 32 characters',
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    RATE_LIMIT_PER_SECOND: manyCalls,
    RATE_LIMIT_PER_MINUTE: manyCalls,
    LOG_LEVEL: 'warn',
    ...env,
    [portName]: String(port),
  };
  const service = productService(role, settings, (line) => void lines.push(line), checkout);
  const instance = await service.start(new AbortController().signal);
  const kill = async (): Promise<void> => void (await instance.stop({ hurry: true }));
  const died = instance.exited.then(() => Promise.reject(new Error(`the ${role} ended:\n${lines.join('\n')}`)));
  await Promise.race([instance.ready, died]);
  died.catch(() => {});
  return { pid: instance.pid!, port, url: `http://127.0.0.1:${port}`, kill, [Symbol.asyncDispose]: kill };
}
