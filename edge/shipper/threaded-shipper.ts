import { Worker } from 'node:worker_threads';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import type { Journal } from '#edge/journal/journal.ts';
import type { Shipper, ShipperLog } from './shipper.ts';
import type { FromThread, ThreadSetup, ToThread, Written } from './thread-messages.ts';

export interface ThreadedShipperOptions extends Omit<ThreadSetup, 'journal'> {
  /** The module that the thread begins with; it calls `runShipperThread`. */
  module: URL;
  journal: Journal;
  log: ShipperLog;
}

// A choice: clicks gather for 200 ms anyway, and a message for each write of the journal would cost as much as the write.
const reportEveryMs = 20;
// So long a visit that was begun may take until its click is written: a choice, some hundred times a visit's own time.
const settleMs = 10;
// Beyond its own deadline: a thread that is stuck must not keep the process.
const stuckMs = 2_000;

/**
 * A shipper in a thread of its own, with connections of its own: reading the journal and the work for PostgreSQL delay no
 * visitor. The journal is written here, and the thread is told how far. When the thread dies of an error, so does the
 * process, as with a shipper in its own thread; the next process adopts the journal.
 */
export function createThreadedShipper({ module, journal, log, ...setup }: ThreadedShipperOptions): Shipper {
  const { id, directory } = journal;
  const thread = new Worker(module, {
    name: 'shipper',
    workerData: { ...setup, journal: { id, directory } } satisfies ThreadSetup,
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread is no window: it has no origin.
  const post = (message: ToThread): void => thread.postMessage(message);
  const closed = Promise.withResolvers<boolean>();
  let isClosing = false;
  let offset: JournalOffset = { segment: 1, position: 0 };
  let rejected = 0;
  let report = 0;
  /** Since when clicks are behind, as the thread knows; null: none is. */
  let behindSinceMs: number | null = null;
  /** When the first click was written of which the thread does not know yet. */
  let unreportedSinceMs: number | null = null;
  let reporting: NodeJS.Timeout | undefined;

  function written(): Written {
    const end = journal.end();
    behindSinceMs ??= unreportedSinceMs;
    unreportedSinceMs = null;
    report += 1;
    return { end, before: journal.bytesSince({ segment: 1, position: 0 }) - end.position, report };
  }

  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'log':
        return log[message.level](message.details, message.message);
      case 'shipped':
        offset = message.offset;
        return journal.shippedTo(offset);
      case 'state':
        rejected = message.rejected;
        // Nothing was left before the latest report, whose clicks the thread has yet to hear of.
        if (message.lagMs === 0 && message.report < report) return;
        behindSinceMs = message.lagMs === 0 ? null : performance.now() - message.lagMs;
        return;
      case 'closed':
        return closed.resolve(message.isShipped);
    }
  });
  thread.on('exit', (code) => {
    closed.resolve(false);
    if (!isClosing) throw new Error(`The thread that ships clicks ended with code ${code}.`);
  });

  journal.onWrite(() => {
    unreportedSinceMs ??= performance.now();
    reporting ??= setTimeout(() => {
      reporting = undefined;
      post({ kind: 'written', ...written() });
    }, reportEveryMs);
  });

  return {
    start: () => post({ kind: 'start' }),
    state() {
      const sinceMs = behindSinceMs ?? unreportedSinceMs;
      return {
        lagMs: sinceMs === null ? 0 : performance.now() - sinceMs,
        waitingBytes: sinceMs === null ? 0 : journal.bytesSince(offset),
        rejected,
      };
    },
    count(moment) {
      setTimeout(() => post({ kind: 'count', moment, ...written() }), settleMs).unref();
    },
    async close(deadlineMs) {
      isClosing = true;
      clearTimeout(reporting);
      post({ kind: 'close', deadlineMs, ...written() });
      const stuck = setTimeout(() => void thread.terminate(), deadlineMs + stuckMs);
      const isShipped = await closed.promise;
      clearTimeout(stuck);
      return isShipped;
    },
  };
}
