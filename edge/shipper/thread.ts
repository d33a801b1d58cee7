import { parentPort, workerData } from 'node:worker_threads';
import type { JournalOffset } from '#core/clicks/journal-offset.ts';
import { createSite } from '#core/links/site.ts';
import { createDatabase } from '#db/connection/database.ts';
import { createShipper, type ShippedJournal, type ShipperLog } from './shipper.ts';
import type { FromThread, ThreadSetup, ToThread, Written } from './thread-messages.ts';

const reportEveryMs = 100;

/** Ships the clicks of an edge, as the thread that `createThreadedShipper` has started, until the edge closes. */
export function runShipperThread(): void {
  const setup = workerData as ThreadSetup;
  const port = parentPort!;
  const send = (message: FromThread): void => port.postMessage(message);
  const logTo =
    (level: 'info' | 'warn'): ShipperLog['info'] =>
    (details, message) =>
      send({ kind: 'log', level, details, message });
  const log: ShipperLog = { info: logTo('info'), warn: logTo('warn') };
  const { journal, follow } = createFollowedJournal(setup.journal, (offset) => send({ kind: 'shipped', offset }));
  const database = createDatabase({
    ...setup.database,
    onError: (error) => log.warn({ reason: error.message }, 'a database connection of the shipper was lost'),
  });
  const site = createSite(setup.site);
  const shipper = createShipper({ database, site, journal, root: setup.root, log, now: Date.now });

  let isReported = true;
  let rejectedBefore = 0;
  let report = 0;
  const reporting = setInterval(() => {
    const { lagMs, rejected } = shipper.state();
    if (isReported && rejected === rejectedBefore) return;
    // Until the edge knows that nothing is left.
    isReported = lagMs === 0;
    rejectedBefore = rejected;
    send({ kind: 'state', lagMs, rejected, report });
  }, reportEveryMs);

  port.on('message', (message: ToThread) => {
    if (message.kind === 'start') return shipper.start();
    isReported = false;
    report = message.report;
    follow(message);
    if (message.kind === 'count') shipper.count(message.moment);
    if (message.kind === 'close') void close(message.deadlineMs);
  });

  async function close(deadlineMs: number): Promise<void> {
    const isShipped = await shipper.close(deadlineMs);
    clearInterval(reporting);
    await database.close();
    send({ kind: 'closed', isShipped });
    port.close();
  }
}

/** The journal that the edge writes, as far as its messages tell. */
function createFollowedJournal(
  { id, directory }: ThreadSetup['journal'],
  shippedTo: ShippedJournal['shippedTo'],
): { journal: ShippedJournal; follow(written: Written): void } {
  let end: JournalOffset = { segment: 1, position: 0 };
  /** Bytes before each segment, by its number. */
  const starts: number[] = [];
  let listener: (() => void) | undefined;
  return {
    journal: {
      id,
      directory,
      end: () => end,
      bytesSince: ({ segment, position }) =>
        (starts[end.segment] ?? 0) + end.position - (starts[segment] ?? 0) - position,
      onWrite(callback) {
        listener = callback;
      },
      shippedTo,
    },
    follow(written) {
      end = written.end;
      starts[end.segment] = written.before;
      listener?.();
    },
  };
}
