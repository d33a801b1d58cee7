import { EventEmitter } from 'node:events';
import { v7 as uuidv7 } from 'uuid';
import { type PumpOptions, type PumpProgress, runPump } from '#activities/webhooks/pump.ts';

/** Runs a pump, which ends as soon as nothing is due. */
export async function pumpDue(
  options: Pick<PumpOptions, 'sql' | 'webhookId' | 'send' | 'open'> & Partial<PumpOptions>,
): Promise<PumpProgress> {
  const never = new AbortController().signal;
  const progress: PumpProgress = { delivered: 0, failed: 0 };
  await runPump({
    pumpId: uuidv7(),
    gapsMs: [1_000],
    probeDelaysMs: [1_000],
    pumpForMs: 60_000,
    lingerMs: 0,
    readShare: () => Infinity,
    notifications: new EventEmitter(),
    random: () => 0,
    draining: never,
    cancelled: never,
    progress,
    ...options,
  });
  return progress;
}
