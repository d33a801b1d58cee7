/** The opinion of one of several name servers. */
export interface Opinion {
  outcome: 'right' | 'wrong' | 'unknown';
}

/**
 * Waits until one opinion is right or all have arrived. After a wrong opinion it waits at most `graceMs`, so that a slow server may
 * still be right and a silent one delays nothing.
 * @returns the opinions, in order of arrival.
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

/** Right if any opinion is right; wrong if one is wrong; otherwise unknown. */
export function outcomeOf(opinions: readonly Opinion[]): Opinion['outcome'] {
  if (opinions.some(({ outcome }) => outcome === 'right')) return 'right';
  return opinions.some(({ outcome }) => outcome === 'wrong') ? 'wrong' : 'unknown';
}
