const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000];
const quickDeathMs = 10_000;
const maxQuickDeaths = 5;
const healthyLifeMs = 60_000;

/** Restart after a pause, or give up. */
type RestartDecision = { pauseMs: number } | { giveUp: true };

/** Restart policy of one child. */
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
