/** The pumps of this process, which can be told that their webhooks have more to send. */
export interface RunningPumps {
  readonly count: number;
  /** Notes that a pump is at work, or waits for its turn. @returns what ends that. */
  begin(claim: string): () => void;
  /** Whether a pump is at work here, or waits for its turn. */
  isRunning(claim: string): boolean;
  /** @returns what takes it out again. */
  add(webhookId: string, look: () => void): () => void;
  /** Takes note of a notification on `channels.deliveries`. */
  onNotification(payload: string): void;
}

/** Makes the list of the pumps of a process. */
export function createRunningPumps(): RunningPumps {
  const pumps = new Map<string, Set<() => void>>();
  const claims = new Set<string>();
  let count = 0;
  return {
    begin(claim) {
      claims.add(claim);
      return () => void claims.delete(claim);
    },
    isRunning: (claim) => claims.has(claim),
    get count() {
      return count;
    },
    add(webhookId, look) {
      let ofWebhook = pumps.get(webhookId);
      if (ofWebhook === undefined) pumps.set(webhookId, (ofWebhook = new Set()));
      ofWebhook.add(look);
      count += 1;
      return () => {
        if (!ofWebhook.delete(look)) return;
        count -= 1;
        if (ofWebhook.size === 0 && pumps.get(webhookId) === ofWebhook) pumps.delete(webhookId);
      };
    },
    onNotification(payload) {
      for (const webhookId of payload.split(',')) for (const look of pumps.get(webhookId) ?? []) look();
    },
  };
}
