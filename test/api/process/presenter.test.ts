import { expect, it } from 'vitest';
import { webhookSteps } from '#api/process/presenter.ts';
import type { Webhook } from '#db/entities/webhooks.ts';

const now = new Date('2026-11-28T12:00:00Z');
const due = new Date('2026-11-28T12:00:05Z');
const deliveries = { waiting: 6, held: 0, delivered: 0, failed: 0, nextDueAt: due };

/** What comes next for a webhook whose deliveries wait. */
function nextOf(failingSince: Date | null): string[] {
  const shown = { id: 'a', url: 'https://d.example.com/', isActive: true, isPaused: false };
  const webhook = { ...shown, failingSince, nextProbeAt: failingSince && due } as Webhook;
  return webhookSteps(webhook, deliveries, now).next.map(({ kind }) => kind);
}

it('a webhook that is retried tells its next attempt', () => {
  expect(nextOf(null)).toEqual(['deliveryAttempt']);
});

it('a failing webhook tells its next probe alone, for which its deliveries wait', () => {
  expect(nextOf(now)).toEqual(['webhookProbe']);
});
