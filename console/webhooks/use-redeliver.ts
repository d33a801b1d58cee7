import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '#console/api/error.ts';
import { redeliver } from '#console/api/webhooks.ts';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useWebhookWords } from './words.ts';

/** Sends deliveries of a webhook again. */
export function useRedeliver(id: string) {
  const words = useWebhookWords();
  const queries = useQueryClient();
  const [done, setDone] = useState<number>();
  const isSending = useRef(false);
  // By delivery, until the API has answered: a call whose answer got lost is still the same.
  const intents = useRef(new Map<string, string>());

  /** Sends deliveries one after the other, and shows messages with the numbers of sent and failed ones. @returns ids of the deliveries that were not sent. */
  async function send(deliveryIds: readonly string[]): Promise<string[]> {
    // A second press may come before the button is pending.
    if (isSending.current) return [...deliveryIds];
    isSending.current = true;
    const failed: string[] = [];
    let reason: unknown;
    for (const [index, deliveryId] of deliveryIds.entries()) {
      setDone(index);
      const intent = intents.current.get(deliveryId) ?? crypto.randomUUID();
      intents.current.set(deliveryId, intent);
      try {
        // In turn: each locks the webhook.
        // oxlint-disable-next-line no-await-in-loop
        await redeliver(id, deliveryId, intent);
        intents.current.delete(deliveryId);
      } catch (error) {
        if (!(error instanceof ApiError && error.isPassing)) intents.current.delete(deliveryId);
        failed.push(deliveryId);
        reason = error;
      }
    }
    isSending.current = false;
    setDone(undefined);
    const sent = deliveryIds.length - failed.length;
    if (sent > 0) sayDone(words.sentAgain(sent));
    if (failed.length > 0)
      sayFailed(words.notSentAgain(failed.length), reason, {
        label: words.tryAgain,
        onPress: () => void send(failed),
      });
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
    return failed;
  }

  return {
    /** How many of the deliveries are done; undefined: none is under way. */
    done,
    send,
  };
}
