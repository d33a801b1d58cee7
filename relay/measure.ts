import { type Meter, samplesOf, shareRead } from '../core/meter.ts';
import type { Sql } from '../db/database.ts';
import { outboxHealth } from '../db/outbox.ts';

/** What a relay has done since its start. */
export interface RelayCounts {
  /** Scans that were started, and the destinations in them. */
  scans: number;
  destinations: number;
  /** Events that were handed to webhooks, and times that a workflow was started or woken. */
  events: number;
  wakes: number;
  /** Times that Temporal did not take a scan or a wake-up. */
  failures: number;
  /** Overdue work that was put into the outbox again. */
  requeued: number;
}

/** Counts that begin at zero. */
export function createRelayCounts(): RelayCounts {
  return { scans: 0, destinations: 0, events: 0, wakes: 0, failures: 0, requeued: 0 };
}

/** Registers the relay's metrics; the outbox is looked at when somebody asks. */
export function measureRelay(meter: Meter, sql: Sql, counts: RelayCounts): void {
  const health = shareRead(() => outboxHealth(sql));
  meter.gauge(
    'waymark_outbox_rows',
    'Rows of the outbox, of the whole installation.',
    async () => {
      const { waiting, parked } = await health();
      return samplesOf('state', { waiting, parked });
    },
    ['state'],
  );
  meter.gauge(
    'waymark_outbox_oldest_seconds',
    'Age of the oldest row of the outbox that waits.',
    async () => (await health()).oldestMs / 1_000,
  );
  const total = (name: string, help: string, count: keyof RelayCounts): void =>
    meter.counter(`waymark_relay_${name}_total`, help, () => counts[count]);
  total('scans_started', 'Threat scans that were handed to Temporal.', 'scans');
  total('destinations', 'Destinations in those scans.', 'destinations');
  total('events', 'Events that were handed to webhooks.', 'events');
  total('wakes', 'Times that a workflow was started or woken, threat scans aside.', 'wakes');
  total('failures', 'Times that Temporal did not take a threat scan or a wake-up.', 'failures');
  total('requeued', 'Overdue work that was put into the outbox again.', 'requeued');
}
