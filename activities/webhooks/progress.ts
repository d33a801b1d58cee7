import type { WebhookProgress } from '#core/webhooks/progress.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { readBacklog } from '#db/webhooks/sending.ts';
import type { PumpProgress } from './pump.ts';

interface ReportOptions {
  em: EntityManager;
  webhookId: string;
  /** The attempts of the pump so far. */
  read: () => PumpProgress;
  send: (progress: WebhookProgress) => Promise<void>;
}

// Most pumps end before the first report, which is a signal: three events of the workflow's history.
const firstAfterMs = 2_000;
const everyMs = 5_000;

/** Reports how a pump gets on while deliveries wait. A report that fails is left out. @returns the function that ends it. */
export function startReports({ em, webhookId, read, send }: ReportOptions): () => void {
  let attempts = 0;
  let atMs = performance.now();
  let timer = setTimeout(() => void report(), firstAfterMs);

  async function report(): Promise<void> {
    const { delivered, failed } = read();
    const nowMs = performance.now();
    const perSecond = Math.round((delivered + failed - attempts) / ((nowMs - atMs) / 1_000));
    attempts = delivered + failed;
    atMs = nowMs;
    try {
      const { waiting, oldestDueAt } = await readBacklog(em, webhookId);
      const oldest = oldestDueAt?.toISOString() ?? null;
      if (oldest !== null)
        await send({ at: new Date().toISOString(), delivered, failed, perSecond, waiting, oldestDueAt: oldest });
    } catch {
      // The next one tells the same.
    }
    if (!hasEnded) timer = setTimeout(() => void report(), everyMs);
  }

  let hasEnded = false;
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
