const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// npm passes on the signal that the terminal has sent to us as well: one Ctrl-C may come twice.
const sameKeystrokeMs = 1_000;
const parentPollMs = 250;

/** Decides what a stop signal means: the first one asks to stop; a later one, past its echo, to hurry. */
export function createStopSignals(now: () => number = () => performance.now()): {
  receive(): 'stop' | 'hurry' | 'echo';
} {
  let firstAt: number | undefined;
  return {
    receive() {
      if (firstAt === undefined) {
        firstAt = now();
        return 'stop';
      }
      return now() - firstAt < sameKeystrokeMs ? 'echo' : 'hurry';
    },
  };
}

/** Listens for SIGINT, SIGTERM and SIGHUP alike, and for the end of the npm that started this process. */
export function onStopSignal(listener: (wish: 'stop' | 'hurry') => void): void {
  const signals = createStopSignals();
  for (const name of names) {
    process.on(name, () => {
      const wish = signals.receive();
      if (wish !== 'echo') listener(wish);
    });
  }
  if (process.env.npm_lifecycle_event !== undefined)
    onParentGone(() => signals.receive() === 'stop' && listener('stop'));
}

/** npm hands a SIGTERM on to the shell between it and us, and a shell may die of that without a word to its child. */
function onParentGone(listener: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, parentPollMs).unref();
}
