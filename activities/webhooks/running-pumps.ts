/** The pumps of this process: a notification on `channels.deliveries` reaches the one of its webhook. */
export interface RunningPumps {
  readonly count: number;
  /** Registers a pump that is at work or waits for its turn. @returns the function that removes it. */
  begin(claim: string): () => void;
  /** Whether a pump of this process is at work or waits for its turn. */
  isRunning(claim: string): boolean;
  /** Registers a pump for notifications. @returns the function that removes it. */
  add(webhookId: string, look: () => void): () => void;
  /** @param payload webhook ids, separated by commas. */
  onNotification(payload: string): void;
}

/** An empty registry; a process has one. */
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
