import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deliveriesQuery, type Webhook, type WebhookOutlook } from '#console/api/webhooks.ts';
import { useIsBeingDeleted } from '#console/app/organization/deletion.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useNowUntil } from '#console/ui/browser/now.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { useStandingWords } from './standing.tsx';
import { useWebhookWords } from './words.ts';
import css from './webhooks.module.css';

/** How a webhook does. `failed`: its last attempt failed and nothing waits for another one. */
type Health = WebhookOutlook['state'] | 'failed';

const keptMs = 30 * 86_400_000;
const unusedEveryMs = 10_000;
const tones = { well: 'good', failed: 'bad', retrying: 'warn', failing: 'bad', paused: 'quiet', off: 'bad' } as const;

/** Whether a person must look after the webhook: its last attempt failed, or failures turned it off. */
export function hasTrouble({ isActive, isPaused, consecutiveFailures, disabledReason }: Webhook): boolean {
  return isActive ? !isPaused && consecutiveFailures > 0 : disabledReason !== 'turned_off';
}

/** How a webhook does, by its own fields where the outlook is not known. */
export function healthOf({ isActive, isPaused, consecutiveFailures }: Webhook, outlook?: WebhookOutlook): Health {
  const state =
    outlook?.state ?? (!isActive ? 'off' : isPaused ? 'paused' : consecutiveFailures > 0 ? 'retrying' : 'well');
  return state === 'well' && consecutiveFailures > 0 ? 'failed' : state;
}

/** Whether nothing was ever delivered to a webhook. Of an older one it is not known: deliveries are kept for a month. */
function useIsUnused({ id, createdAt }: Webhook, health: Health): boolean {
  const [isNew] = useState(() => Date.now() - Date.parse(createdAt) < keptMs);
  const { data } = useQuery({
    ...deliveriesQuery(id, {}, 0, 1),
    enabled: !useIsBeingDeleted(id) && health === 'well' && isNew,
    refetchInterval: ({ state }) => (state.data?.count === 0 ? unusedEveryMs : false),
  });
  return health === 'well' && data?.count === 0;
}

/** How a webhook does, in words. @param outlook undefined: not read. */
export function HealthChip({ webhook, outlook }: { webhook: Webhook; outlook: WebhookOutlook | undefined }) {
  const words = useWebhookWords().health;
  const standing = useStandingWords();
  const format = useFormat();
  const probeAt = outlook?.nextProbeAt ?? null;
  const now = useNowUntil(probeAt);
  const health = healthOf(webhook, outlook);
  const isUnused = useIsUnused(webhook, health);
  const tone = isUnused
    ? 'quiet'
    : health === 'off' && webhook.disabledReason === 'turned_off'
      ? 'quiet'
      : tones[health];
  const text = {
    well: () => (isUnused ? words.unused : words.well),
    failed: () => words.failed,
    retrying: () => words.retrying(outlook?.waiting ?? 0),
    failing: () => words.failing(probeAt === null ? undefined : format.soon(probeAt, now)),
    paused: () => words.paused(outlook?.waiting ?? 0),
    off: () =>
      standing.off(format.moment(webhook.disabledAt ?? webhook.updatedAt), webhook.disabledReason ?? 'turned_off'),
  }[health]();
  return (
    <span className={css.health}>
      <Chip tone={tone}>{text}</Chip>
    </span>
  );
}
