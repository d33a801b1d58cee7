import { useCallback, useRef, useState } from 'react';

/** Work that tells how far it is, and ends early when it is stopped. */
interface Work<Progress> {
  /** Progress before the first step. */
  first: Progress;
  work: (signal: AbortSignal) => Promise<void>;
  onFailed: (error: unknown) => void;
  /** Called when the work threw because it was stopped. */
  onStopped?: () => void;
}

/** Long work of a component. `progress` is undefined while nothing runs. */
export function useRun<Progress>() {
  const [progress, setProgress] = useState<Progress>();
  const stopper = useRef<AbortController>(undefined);
  const stop = useCallback(() => stopper.current?.abort(), []);

  async function run({ first, work, onFailed, onStopped }: Work<Progress>): Promise<void> {
    const { signal } = (stopper.current = new AbortController());
    setProgress(first);
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) onStopped?.();
      else onFailed(error);
    } finally {
      setProgress(undefined);
    }
  }

  return { progress, setProgress, run, stop };
}
