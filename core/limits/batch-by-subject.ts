/** Answer to one batch: how many of its callers are granted; implementations add more. */
interface Grant {
  granted: number;
}

/** Result of one caller: whether it was granted, its index in the batch, and the batch's answer. */
interface CallGrant<G extends Grant> {
  ok: boolean;
  /** From 0; in the order of arrival. */
  place: number;
  grant: G;
}

/**
 * Batches calls by subject: while a call for a subject is under way, later callers gather for the next one. No caller joins a
 * call that began before it came, so each answer is newer than its question. Callers are granted in order of arrival.
 * @param take asks for `count` at once; its error rejects every caller of the batch.
 */
export function batchBySubject<G extends Grant>(
  take: (subject: string, count: number) => Promise<G>,
): (subject: string) => Promise<CallGrant<G>> {
  interface Waiting {
    resolve(granted: CallGrant<G>): void;
    reject(error: unknown): void;
  }
  const queues = new Map<string, Waiting[]>();

  async function serve(subject: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const taken = queue.splice(0);
      try {
        const grant = await take(subject, taken.length);
        for (const [place, waiting] of taken.entries()) waiting.resolve({ ok: place < grant.granted, place, grant });
      } catch (error) {
        for (const waiting of taken) waiting.reject(error);
      }
    }
    queues.delete(subject);
  }

  return (subject) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(subject);
      if (queue !== undefined) {
        queue.push({ resolve, reject });
        return;
      }
      const fresh = [{ resolve, reject }];
      queues.set(subject, fresh);
      void serve(subject, fresh);
    });
}
