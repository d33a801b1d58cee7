import type { ProcessRole } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';
import { productService } from '#scripts/supervisor/processes.ts';
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

const manyCalls = '1000000000';

/**
 * Starts `server.ts` or `worker.ts` over a database; resolves when it serves.
 * @param env beside the settings that all of them have.
 * @param lines get what it logs.
 * @param checkout folder with its code.
 */
export async function startProcess(
  role: ProcessRole,
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
  // Beside other programs of a busy machine a worker of low priority would hardly run.
  const onLine = (line: string): void => void lines.push(line);
  const service = productService(role, { env: settings, onLine, checkout, isBackground: false });
  const instance = await service.start(new AbortController().signal);
  const kill = async (): Promise<void> => void (await instance.stop({ hurry: true }));
  const died = instance.exited.then(() => Promise.reject(new Error(`the ${role} ended:\n${lines.join('\n')}`)));
  await Promise.race([instance.ready, died]);
  died.catch(() => {});
  return { pid: instance.pid!, port, url: `http://127.0.0.1:${port}`, kill, [Symbol.asyncDispose]: kill };
}
