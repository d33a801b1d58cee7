import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedServer } from '#scripts/embedded/until-serving.ts';
import type { Exit } from '#scripts/lib/running.ts';

/** A process of a service. */
interface Instance extends Pick<EmbeddedServer, 'exited' | 'stop'> {
  pid: number | undefined;
  /** Resolves when the process serves; stays pending when it dies before. Absent: it serves already. */
  ready?: Promise<void>;
}

/** A process to keep running. */
export interface Service {
  name: string;
  /** Starts a new instance. Rejects when the start fails; `signal` aborts the start. */
  start(signal: AbortSignal): Promise<Instance>;
}

interface SuperviseOptions {
  /** The process died, and restarts after the pause. */
  onDeath: (exit: Exit, pauseMs: number) => void;
  /** The process serves again. */
  onReturn: () => void;
  /** The process died too often, and does not restart. */
  onGiveUp: (exit: Exit) => void;
  policy?: RestartPolicy;
}

/** A service that runs until `stop`. */
export interface Supervised {
  /** Process id of the current instance. */
  readonly pid: number | undefined;
  /** Resolves when an instance serves for the first time. */
  readonly ready: Promise<void>;
  /** Stops the service for good. May be called again with `hurry`. */
  stop(options?: { hurry?: boolean }): Promise<void>;
}

/** Runs a service, and restarts it by the policy when it dies. */
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
      // A stop may have been requested during the start.
      if (stopping.signal.aborted) void instance.stop({ hurry: hurried });
      void Promise.resolve(instance.ready).then(() => {
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

const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000];
const quickDeathMs = 10_000;
const maxQuickDeaths = 5;
const healthyLifeMs = 60_000;

type RestartDecision = { pauseMs: number } | { giveUp: true };

export interface RestartPolicy {
  /** @param livedMs lifetime of the child that died. */
  died(livedMs: number): RestartDecision;
}

/**
 * Pauses grow with each death, and reset after a lifetime of a minute. Gives up after five deaths in a row within ten seconds
 * each.
 */
export function createRestartPolicy(): RestartPolicy {
  let deaths = 0;
  let quickDeaths = 0;
  return {
    died(livedMs) {
      if (livedMs >= healthyLifeMs) deaths = 0;
      quickDeaths = livedMs < quickDeathMs ? quickDeaths + 1 : 0;
      if (quickDeaths >= maxQuickDeaths) return { giveUp: true };
      const pauseMs = pausesMs[Math.min(deaths, pausesMs.length - 1)]!;
      deaths += 1;
      return { pauseMs };
    },
  };
}
