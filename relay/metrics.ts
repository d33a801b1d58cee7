import type { Meter } from '#core/lib/meter.ts';

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

/** Registers the relay's metrics. */
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
