import { Client, type ClientOptions, Connection, isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import { searchAttributes } from '#core/temporal/search-attributes.ts';
import type { TemporalAccess } from './access.ts';

// gRPC would wait up to two minutes before it tries a lost connection again.
const channelArgs = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1_000 };

// Codes of gRPC by which a service says that this very request is wrong: any other means that it could not be asked.
const codesOfWrongRequests = new Set([3, 5, 6, 9, 11]);
const refusingCodes = new Set([7, 12, 16]);
const failedPrecondition = 9;
const callTimeoutMs = 5_000;

/**
 * Opens a client that connects by itself, now and whenever the service comes back. A call is tried once, and wants a deadline:
 * `client.withDeadline`.
 */
export function openClient({
  namespace,
  plugins = [],
  ...access
}: TemporalAccess & Pick<ClientOptions, 'plugins'> & { namespace: string }): Client {
  // Without the SDK's retries: a retry that is still waiting when the connection is closed would end the process.
  const connection = Connection.lazy({ ...access, channelArgs, interceptors: [] });
  return new Client({ connection, namespace, plugins });
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

/** The first error of a chain of causes, the error itself included, that `is` accepts. */
function findCause<T>(error: unknown, is: (cause: unknown) => cause is T): T | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) if (is(cause)) return cause;
  return undefined;
}

/** The gRPC error that is, or has led to, an error. */
export function grpcErrorOf(error: unknown): { code: number; message: string } | undefined {
  return findCause(error, isGrpcServiceError);
}

/**
 * Tells whether a call failed because the service could not be asked (away, overloaded, without the namespace), and not
 * because it refused this very request.
 */
export function isTemporalUnreachable(error: unknown): boolean {
  if (findCause(error, (cause) => cause instanceof NamespaceNotFoundError) !== undefined) return true;
  const refusal = grpcErrorOf(error);
  return refusal !== undefined && !codesOfWrongRequests.has(refusal.code);
}

/** Tells whether the service refused an update because an operator has paused its workflow. */
export function isPausedWorkflow(error: unknown): boolean {
  const refusal = grpcErrorOf(error);
  // The message alone tells a pause from other failed preconditions.
  return refusal?.code === failedPrecondition && refusal.message.includes('is paused');
}

/**
 * Makes sure that the search attributes of Waymark are there, on any Temporal service; existing ones stay
 * as they are. A service that refuses is reported with what to do, and no error: workflows then wait in the outbox.
 */
export async function registerSearchAttributes(
  client: Client,
  namespace: string,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<void> {
  const { operatorService } = client.connection as Connection;
  const within = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + callTimeoutMs, call);
  let missing = Object.entries(searchAttributes);
  try {
    const { customAttributes } = await within(() => operatorService.listSearchAttributes({ namespace }));
    const known: Record<string, number> = customAttributes ?? {};
    const wrong = missing.filter(([name, type]) => (known[name] ?? codes[type]) !== codes[type]);
    for (const [name, type] of wrong) {
      log.error(
        { name, type },
        'a search attribute of Temporal has another type: remove it, and the worker registers it again',
      );
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
    log.error(
      { run },
      'Temporal does not allow the worker to register search attributes: an operator must register them',
    );
  }
}

// Numbers of `temporal.api.enums.v1.IndexedValueType`.
const codes = { Keyword: 2, Datetime: 6, KeywordList: 7 } as const;
