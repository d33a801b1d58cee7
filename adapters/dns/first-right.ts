/** What one of several that were asked says. */
export interface Opinion {
  outcome: 'right' | 'wrong' | 'unknown';
}

/**
 * Waits for opinions: until one is right, or all are there, or, once one was wrong, for `graceMs` more where that is
 * given, so that one that is slow may still be right and one that is silent delays nothing.
 * @returns those that came, in the order in which they came.
 */
export function untilFirstRight<T extends Opinion>(asked: readonly Promise<T>[], graceMs?: number): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const came: T[] = [];
    let timer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      resolve([...came]);
    };
    for (const opinion of asked) {
      opinion.then((value) => {
        came.push(value);
        if (value.outcome === 'right' || came.length === asked.length) finish();
        else if (value.outcome === 'wrong' && graceMs !== undefined) timer ??= setTimeout(finish, graceMs);
      }, reject);
    }
  });
}

/** What opinions come to: one that is right is enough, and what is unknown says nothing against what is known. */
export function outcomeOf(opinions: readonly Opinion[]): Opinion['outcome'] {
  if (opinions.some(({ outcome }) => outcome === 'right')) return 'right';
  return opinions.some(({ outcome }) => outcome === 'wrong') ? 'wrong' : 'unknown';
}
