import { Client, Connection, isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import { searchAttributes } from '#core/temporal/search-attributes.ts';
import type { TemporalAccess } from './access.ts';

/** A Temporal service as the processes of Waymark use it. */
export interface Temporal {
  /**
   * Connects by itself, now and whenever the service comes back. A call is tried once, and wants a deadline:
   * `client.withDeadline`.
   */
  readonly client: Client;
  /** Whether the service answered when last asked, at most a second and a half ago. */
  isReachable(): boolean;
  /** Begins to watch; returns after the first answer, or after half a second without one. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** `onBack` is called when the service is reached, first and after each absence. */
interface TemporalOptions extends TemporalAccess {
  namespace: string;
  log: Pick<Logger, 'info' | 'warn'>;
  onBack?: () => void;
  checkEveryMs?: number;
}

// gRPC would wait up to two minutes before it tries a lost connection again.
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 };
const checkTimeoutMs = 500;
// `ServingStatus` of gRPC's health protocol.
const serving = 1;
const workflowService = 'temporal.api.workflowservice.v1.WorkflowService';

// Codes of gRPC by which a service says that this very request is wrong: any other means that it could not be asked.
const codesOfWrongRequests = new Set([3, 5, 6, 9, 11]);
const refusingCodes = new Set([7, 12, 16]);

/** Opens a client that needs no service to start with, and watches whether the service can be reached. */
export function createTemporal({
  address,
  tls,
  apiKey,
  namespace,
  log,
  onBack,
  checkEveryMs = 1_000,
}: TemporalOptions): Temporal {
  // Without the SDK's retries: a retry that is still waiting when the connection is closed would end the process.
  const connection = Connection.lazy({ address, tls, apiKey, channelArgs, interceptors: [] });
  const client = new Client({ connection, namespace });
  let reachable: boolean | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function check(): Promise<void> {
    const reason = await whyAway(connection);
    if (closed) return;
    const answers = reason === undefined;
    if (answers !== reachable) {
      if (answers) log.info({ address }, 'Temporal can be reached');
      else log.warn({ address, reason }, 'Temporal cannot be reached; what it is needed for waits');
    }
    const isBack = answers && reachable !== true;
    reachable = answers;
    if (isBack) onBack?.();
    timer = setTimeout(() => void check(), checkEveryMs);
    timer.unref();
  }

  return {
    client,
    isReachable: () => reachable === true,
    start: check,
    async close() {
      closed = true;
      clearTimeout(timer);
      await connection.close();
    },
  };
}

/**
 * Opens a client for a few calls, which closes with its connection.
 * @throws Error where the service does not answer within five seconds.
 */
export async function connectTemporal({
  namespace,
  ...access
}: TemporalAccess & { namespace: string }): Promise<Client> {
  const connection = await Connection.connect({ ...access, connectTimeout: '5s' });
  return new Client({ connection, namespace });
}

/** Asks the service whether it serves. @returns undefined: it does; else what came in place of that. */
async function whyAway(connection: Connection): Promise<string | undefined> {
  const within = <T>(call: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + checkTimeoutMs, call);
  try {
    const health = await within(() => connection.healthService.check({ service: workflowService })).catch(
      async (error: unknown) => {
        if (!isGrpcServiceError(error) || !refusingCodes.has(error.code)) throw error;
        // A managed service may refuse to tell its health; it answers this call.
        await within(() => connection.workflowService.getSystemInfo({}));
        return { status: serving };
      },
    );
    return health.status === serving ? undefined : 'it does not serve yet, or any more';
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Tells whether a call failed because the service could not be asked (away, overloaded, without the namespace), and not
 * because it refused this very request.
 */
export function isTemporalAway(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NamespaceNotFoundError) return true;
    if (isGrpcServiceError(cause)) return !codesOfWrongRequests.has(cause.code);
  }
  return false;
}

/**
 * Makes sure that the search attributes of Waymark are there, on any Temporal service; existing ones stay
 * as they are. A service that refuses is reported with what to do, and no error: workflows then wait in the outbox.
 */
export async function registerSearchAttributes(
  client: Client,
  namespace: string,
  log: Pick<Logger, 'info' | 'error'>,
  timeoutMs = 5_000,
): Promise<void> {
  const { operatorService } = client.connection as Connection;
  const within = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + timeoutMs, call);
  let missing = Object.entries(searchAttributes);
  try {
    const { customAttributes } = await within(() => operatorService.listSearchAttributes({ namespace }));
    const known: Record<string, number> = customAttributes ?? {};
    const wrong = missing.filter(([name, type]) => (known[name] ?? codes[type]) !== codes[type]);
    for (const [name, type] of wrong) {
      log.error({ name, type }, 'a search attribute of Temporal has another type: remove it, and it is made anew');
    }
    missing = missing.filter(([name]) => known[name] === undefined);
    if (missing.length === 0) return;
    const added = Object.fromEntries(missing.map(([name, type]) => [name, codes[type]]));
    await within(() => operatorService.addSearchAttributes({ namespace, searchAttributes: added }));
    log.info({ names: Object.keys(added) }, 'search attributes were registered with Temporal');
  } catch (error) {
    if (!isGrpcServiceError(error) || !refusingCodes.has(error.code)) throw error;
    const flags = missing.map(([name, type]) => `--name ${name} --type ${type}`).join(' ');
    const run = `temporal operator search-attribute create --namespace ${namespace} ${flags}`;
    log.error({ run }, 'Temporal does not let search attributes be registered: an operator has to');
  }
}

// Numbers of `temporal.api.enums.v1.IndexedValueType`.
const codes = { Keyword: 2, KeywordList: 7 } as const;
