const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000];
const quickDeathMs = 10_000;
const maxQuickDeaths = 5;
const healthyLifeMs = 60_000;

/** What to do about a death: start again after a pause, or give up (11.7). */
type RestartDecision = { pauseMs: number } | { giveUp: true };

/** Decides about the deaths of one child. */
export interface RestartPolicy {
  /** @param livedMs time from the start of the child that died to its death. */
  died(livedMs: number): RestartDecision;
}

/**
 * Pauses grow from death to death, and begin anew after a life of a minute. Five deaths in a row, each within ten seconds
 * of its start, end the attempts.
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
