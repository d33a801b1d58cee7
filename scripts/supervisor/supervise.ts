import { setTimeout as sleep } from 'node:timers/promises';
import type { Exit } from '#scripts/lib/running.ts';
import { createRestartPolicy, type RestartPolicy } from './restart-policy.ts';

/** A process that was started by a service. */
interface Instance {
  pid: number | undefined;
  /** Resolves when it ends, however that comes; never rejects. */
  exited: Promise<Exit>;
  /** Resolves when it serves; never rejects, and stays open when it dies before. */
  ready: Promise<void>;
  /** Ends it in order, or at once. */
  stop(options?: { hurry?: boolean }): Promise<Exit>;
}

/** Something to keep running. */
export interface Service {
  name: string;
  /** Starts a fresh instance. Rejects where it could not be started; `signal` asks to give the start up. */
  start(signal: AbortSignal): Promise<Instance>;
}

/** What a supervised service tells. */
interface SuperviseOptions {
  /** It died, and is started again after the pause. */
  onDeath: (exit: Exit, pauseMs: number) => void;
  /** It was started again, and serves. */
  onReturn: () => void;
  /** It died too often, and is not started again. */
  onGiveUp: (exit: Exit) => void;
  policy?: RestartPolicy;
}

/** A service that is kept running until `stop`. */
export interface Supervised {
  readonly name: string;
  /** Process id of the running instance. */
  readonly pid: number | undefined;
  /** Resolves when an instance serves for the first time. */
  readonly ready: Promise<void>;
  /** Ends it for good. May be called again with `hurry`. */
  stop(options?: { hurry?: boolean }): Promise<void>;
}

/** Starts a service and starts it again whenever it dies, as the policy has it (11.7). */
export function supervise(service: Service, options: SuperviseOptions): Supervised {
  const { onDeath, onReturn, onGiveUp, policy = createRestartPolicy() } = options;
  const stopping = new AbortController();
  const { promise: ready, resolve: markReady } = Promise.withResolvers<void>();
  let current: Instance | undefined;
  let wasReady = false;
  let hurried = false;

  const live = async (): Promise<Exit> => {
    try {
      const instance = await service.start(stopping.signal);
      current = instance;
      // A stop may have come while it was starting.
      if (stopping.signal.aborted) void instance.stop({ hurry: hurried });
      void instance.ready.then(() => {
        if (wasReady) onReturn();
        wasReady = true;
        markReady();
      });
      return await instance.exited;
    } catch (error) {
      return { code: null, signal: null, error: error as Error };
    } finally {
      current = undefined;
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const exit = await live();
      if (stopping.signal.aborted) return;
      const decision = policy.died(performance.now() - startedAt);
      if ('giveUp' in decision) return onGiveUp(exit);
      onDeath(exit, decision.pauseMs);
      await sleep(decision.pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };

  const ended = loop();
  return {
    name: service.name,
    get pid() {
      return current?.pid;
    },
    ready,
    async stop({ hurry = false } = {}) {
      hurried ||= hurry;
      stopping.abort();
      void current?.stop({ hurry: hurried });
      await ended;
    },
  };
}
