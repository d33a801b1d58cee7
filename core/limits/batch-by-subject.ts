/** What a coalesced call gives back: how many of those that were asked for were granted, and whatever else is to be told. */
export interface Grant {
  granted: number;
}

/** What one caller gets: whether it was among the granted, its place among those taken together, and the whole answer. */
export interface Share<G extends Grant> {
  ok: boolean;
  /** From 0; in the order of arrival. */
  place: number;
  grant: G;
}

/**
 * Hands out what is counted somewhere else, many callers at a time: while a call for a subject is under way, later callers
 * gather and go together in the next one. Nobody joins a call that began before they came, so each answer is of a moment
 * after its question. The first to come are the first to be granted.
 * @param take asks for `count` at once; what it throws, all who were taken together get.
 */
export function batchBySubject<G extends Grant>(
  take: (subject: string, count: number) => Promise<G>,
): (subject: string) => Promise<Share<G>> {
  interface Waiting {
    resolve(share: Share<G>): void;
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
