import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Tracing } from '#adapters/tracing.ts';
import type { TemporalAccess } from './access.ts';
import { createHealthCheck } from './health.ts';

/** A Temporal service as the processes of Waymark use it. */
export type Temporal = ReturnType<typeof createTemporal>;

/** `onBack` is called when the service is reached, first and after each absence. */
interface TemporalOptions extends TemporalAccess {
  namespace: string;
  log: Pick<Logger, 'info' | 'warn'>;
  onBack?: () => void;
  checkEveryMs?: number;
  plugins?: Tracing['plugin'][];
}

const checkTimeoutMs = 500;

/** Watches whether the service can be reached, and opens a client for it; neither needs the service to start with. */
export function createTemporal({
  namespace,
  log,
  onBack,
  checkEveryMs = 1_000,
  plugins = [],
  ...access
}: TemporalOptions) {
  const { address } = access;
  const health = createHealthCheck(access);
  let opened: Promise<Client> | undefined;
  let reachable: boolean | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function check(): Promise<void> {
    const reason = await health.whyAway(checkTimeoutMs);
    if (closed) return;
    const answers = reason === undefined;
    if (answers !== reachable) {
      if (answers) log.info({ address }, 'Temporal can be reached');
      else log.warn({ address, reason }, 'Temporal cannot be reached; work that needs it waits');
    }
    const isBack = answers && reachable !== true;
    reachable = answers;
    if (isBack) onBack?.();
    timer = setTimeout(() => void check(), checkEveryMs);
    timer.unref();
  }

  async function open(): Promise<Client> {
    const { openClient } = await import('./client.ts');
    return openClient({ ...access, namespace, plugins });
  }

  return {
    /** A client, see `openClient`. The first call loads the SDK: an API that only makes links needs none of it. */
    client: () => (opened ??= open()),
    /** Whether the service answered when last asked, at most a second and a half ago. */
    isReachable: () => reachable === true,
    /** Begins to watch; returns after the first answer, or after half a second without one. */
    start: check,
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      health.close();
      await (await opened)?.connection.close();
    },
  };
}
