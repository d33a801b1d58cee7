interface Shown {
  untilMs: number;
  /** Times that it came since and was left out. */
  repeats: number;
}

// A log about more subjects than this within a minute shows some of them again.
const maxKeys = 1_000;

/**
 * Tells which messages repeat: one of the same text about the same subject within `everyMs` does. The subject is what the details name
 * by texts, as ids and addresses; the reason, numbers and lists may differ.
 * @returns of a message to show, how often it was left out before; undefined: it is left out.
 */
export function createRepeatFilter(
  everyMs: number,
  now: () => number = () => performance.now(),
): (message: string, details: Readonly<Record<string, unknown>>) => number | undefined {
  const shown = new Map<string, Shown>();
  return (message, { reason: _reason, requestId: _requestId, ...details }) => {
    const subject = Object.entries(details).filter(([, value]) => typeof value === 'string');
    const key = JSON.stringify([message, subject]);
    const nowMs = now();
    const last = shown.get(key);
    if (last !== undefined && nowMs < last.untilMs) {
      last.repeats += 1;
      return undefined;
    }
    // The one that was shown longest ago comes first.
    shown.delete(key);
    if (shown.size >= maxKeys) shown.delete(shown.keys().next().value!);
    shown.set(key, { untilMs: nowMs + everyMs, repeats: 0 });
    return last?.repeats ?? 0;
  };
}
