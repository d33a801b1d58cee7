import type { Delivery } from '#console/api/webhooks.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { useWebhookWords } from './words.ts';

const tones = { pending: 'accent', delivered: 'good', failed: 'bad', held: 'warn' } as const;

/** What became of a delivery, in a word. */
export function DeliveryState({ status, attempts }: { status: Delivery['status']; attempts: number }) {
  const words = useWebhookWords();
  const isRetried = status === 'pending' && attempts > 0;
  return <Chip tone={isRetried ? 'warn' : tones[status]}>{isRetried ? words.retried : words.states[status]}</Chip>;
}
