import type { Meter } from '#core/lib/meter.ts';

/** Counts since the relay's start. */
export interface RelayCounts {
  /** Scans that were started, and the destinations in them. */
  scans: number;
  destinations: number;
  /** Events that became deliveries, and calls that started or woke a workflow. */
  events: number;
  wakes: number;
  /** Calls to Temporal that failed. */
  failures: number;
  /** Overdue subjects that were put into the outbox again. */
  requeued: number;
}

export function createRelayCounts(): RelayCounts {
  return { scans: 0, destinations: 0, events: 0, wakes: 0, failures: 0, requeued: 0 };
}

export function measureRelay(meter: Meter, counts: RelayCounts): void {
  const total = (name: string, help: string, count: keyof RelayCounts): void =>
    meter.counter(`waymark_relay_${name}_total`, help, () => counts[count]);
  total('scans_started', 'Threat scans that were handed to Temporal.', 'scans');
  total('destinations', 'Destinations in those scans.', 'destinations');
  total('events', 'Events that were handed to webhooks.', 'events');
  total('wakes', 'Times that a workflow was started or woken, threat scans aside.', 'wakes');
  total('failures', 'Times that Temporal did not take a threat scan or a wake-up.', 'failures');
  total('requeued', 'Overdue work that was put into the outbox again.', 'requeued');
}
