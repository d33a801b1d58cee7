const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// npm forwards a signal that the terminal sends to this process too, so one Ctrl-C may arrive twice.
const sameKeystrokeMs = 1_000;
const parentPollMs = 250;

/** The first signal means stop; a later one, other than its echo, means hurry. */
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

/** Listens for SIGINT, SIGTERM and SIGHUP, and for the exit of the npm that started this process. */
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

/** npm forwards SIGTERM to the shell in between, which may exit without forwarding it. */
function onParentGone(listener: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, parentPollMs).unref();
}
