import { serverService } from '#scripts/supervisor/processes.ts';
import { childEnvironment } from '#test/support/child-environment.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { temporalForTest } from '#test/support/stack.ts';

/** The API in a process of its own, which tests may kill; `await using` kills it where the test has not. */
export interface ApiProcess extends AsyncDisposable {
  url: string;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
}

const manyCalls = '1000000000';

/** Starts `server.ts` as the API over a database; resolves when it serves. `env` adds to its environment, what it logs to `lines`. */
export async function startApiProcess(
  databaseUrl: string,
  env: NodeJS.ProcessEnv = {},
  lines: string[] = [],
): Promise<ApiProcess> {
  const [port] = await freePorts(1);
  const { address, namespace } = temporalForTest();
  const service = serverService(
    'api',
    {
      ...childEnvironment,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'a secret key of at least 32 characters',
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      PORT: String(port),
      RATE_LIMIT_PER_SECOND: manyCalls,
      RATE_LIMIT_PER_MINUTE: manyCalls,
      LOG_LEVEL: 'warn',
      ...env,
    },
    { line: (text) => void lines.push(text), tail: () => lines },
  );
  const instance = await service.start(new AbortController().signal);
  const kill = async (): Promise<void> => void (await instance.stop({ hurry: true }));
  const died = instance.exited.then(() => Promise.reject(new Error(`the API ended:\n${lines.join('\n')}`)));
  await Promise.race([instance.ready, died]);
  died.catch(() => {});
  return { url: `http://127.0.0.1:${port}`, kill, [Symbol.asyncDispose]: kill };
}
