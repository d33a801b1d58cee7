import { type Meter, noMeter } from '#core/lib/meter.ts';

export type RelayCounts = ReturnType<typeof createRelayCounts>;

/** Counts since the relay's start, and registers their metrics. */
export function createRelayCounts(meter: Meter = noMeter) {
  const counts = {
    /** Scans that were started, and the destinations in them. */
    scans: 0,
    destinations: 0,
    /** Events that became deliveries, and calls that started or woke a workflow. */
    events: 0,
    wakes: 0,
    /** Calls to Temporal that failed. */
    failures: 0,
    /** Overdue subjects that were put into the outbox again. */
    requeued: 0,
  };
  const total = (name: string, help: string, count: keyof typeof counts): void =>
    meter.counter(`waymark_relay_${name}_total`, help, () => counts[count]);
  total('scans_started', 'Threat scans that were handed to Temporal.', 'scans');
  total('destinations', 'Destinations in those scans.', 'destinations');
  total('events', 'Events that were handed to webhooks.', 'events');
  total('wakes', 'Times that a workflow was started or woken, threat scans aside.', 'wakes');
  total('failures', 'Times that Temporal did not take a threat scan or a wake-up.', 'failures');
  total('requeued', 'Overdue work that was put into the outbox again.', 'requeued');
  return counts;
}
