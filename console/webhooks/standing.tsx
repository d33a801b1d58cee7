import type { DeliveryStatus, DisabledReason } from '#core/webhooks/standing.ts';
import type { Delivery } from '#console/api/webhooks.ts';
import { createWords } from '#console/i18n/words.ts';
import { Chip } from '#console/ui/page/states.tsx';

const en = {
  states: {
    pending: 'Waiting',
    delivered: 'Delivered',
    failed: 'Failed',
    held: 'Held',
  } satisfies Record<DeliveryStatus, string> as Record<DeliveryStatus, string>,
  retried: 'Retrying',
  off: (day: string, reason: DisabledReason) => `Off since ${day} because ${en.reasons[reason]}`,
  reasons: {
    consecutive_failures: '18 attempts in a row failed',
    gone: 'the server answered 410 (gone)',
    turned_off: 'a person turned it off',
  } satisfies Record<DisabledReason, string> as Record<DisabledReason, string>,
};

const de: typeof en = {
  states: {
    pending: 'Wartet',
    delivered: 'Zugestellt',
    failed: 'Fehlgeschlagen',
    held: 'Zurückgehalten',
  },
  retried: 'Neuer Versuch',
  off: (day, reason) => `Aus seit ${day}, weil ${de.reasons[reason]}`,
  reasons: {
    consecutive_failures: '18 Versuche in Folge fehlschlugen',
    gone: 'der Server mit 410 (gone) antwortete',
    turned_off: 'eine Person ihn ausgeschaltet hat',
  },
};

/** How a delivery stands, and why a webhook is off: the pages of an organization and of the staff say it alike. */
export const useStandingWords = createWords({ en, de });

const tones = { pending: 'accent', delivered: 'good', failed: 'bad', held: 'warn' } as const;

/** What became of a delivery, in a word. */
export function DeliveryState({ status, attempts }: { status: Delivery['status']; attempts: number }) {
  const words = useStandingWords();
  const isRetried = status === 'pending' && attempts > 0;
  return <Chip tone={isRetried ? 'warn' : tones[status]}>{isRetried ? words.retried : words.states[status]}</Chip>;
}
