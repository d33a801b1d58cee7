import { updateWebhook } from '#console/api/webhooks.ts';
import { useChange } from '#console/ui/form/use-change.ts';
import { useWebhookPageWords } from './words.ts';

/** Changes a webhook at once: on or off, paused or not. */
export function useSwitch(id: string) {
  const words = useWebhookPageWords();
  return useChange({
    send: (patch: { isActive?: boolean; isPaused?: boolean }) => updateWebhook(id, patch),
    done: (_webhook, { isActive, isPaused }) =>
      isPaused === undefined
        ? isActive === true
          ? words.turnedOn
          : words.turnedOff
        : isPaused
          ? words.paused
          : words.resumed,
    failed: words.notChanged,
    refresh: [['webhooks']],
  });
}
