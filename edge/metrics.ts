import type { Decision } from '#core/routing/decide.ts';
import { type Meter, samplesOf } from '#core/lib/meter.ts';
import type { Lookup } from './lookup/lookup.ts';
import type { ShipperState } from './shipper/shipper.ts';

/** Counts since the start: plain numbers, incremented at each visit and read at each scrape. */
export type VisitCounts = ReturnType<typeof createVisitCounts>;

export function createVisitCounts() {
  const decisions: Record<Decision['kind'], number> = {
    redirect: 0,
    deepLink: 0,
    cloak: 0,
    preview: 0,
    elsewhere: 0,
    bare: 0,
    notFound: 0,
    gone: 0,
    password: 0,
    warning: 0,
    blocked: 0,
    cap: 0,
  };
  const withoutDecision = {
    admitted: 0,
    wrongPassword: 0,
    tooManyTries: 0,
    tooManyMisses: 0,
    tooManyReports: 0,
    reported: 0,
    badRequest: 0,
    document: 0,
    failed: 0,
    methodNotAllowed: 0,
    ownPath: 0,
    preflight: 0,
    prefetch: 0,
    unavailable: 0,
    unknownHost: 0,
  };
  return {
    /** By outcome. */
    visits: { ...decisions, ...withoutDecision },
    /** Clicks in the journal: redirects and the pages that count as one. */
    clicks: 0,
    /** Visits of bots in the journal, and those beyond what is kept of them. */
    botClicks: 0,
    botClicksNotKept: 0,
  };
}

interface EdgeParts {
  counts: VisitCounts;
  lookup: Lookup;
  shipper: { state(): ShipperState };
  /** Whether the database is reachable and its notifications arrive. */
  isDatabaseUp(): boolean;
}

export function measureEdge(meter: Meter, { counts, lookup, shipper, isDatabaseUp }: EdgeParts): void {
  meter.counter('waymark_edge_visits_total', 'Visits by outcome.', () => samplesOf('outcome', counts.visits), [
    'outcome',
  ]);
  meter.counter('waymark_edge_clicks_total', 'Clicks written to the journal.', () => counts.clicks);
  meter.counter(
    'waymark_edge_bot_clicks_total',
    'Visits of bots, by whether they were kept.',
    () => samplesOf('kept', { yes: counts.botClicks, no: counts.botClicksNotKept }),
    ['kept'],
  );
  meter.gauge(
    'waymark_edge_journal_lag_seconds',
    'Age of the oldest click of this process that is not in the database.',
    () => shipper.state().lagMs / 1_000,
  );
  meter.gauge(
    'waymark_edge_journal_waiting_bytes',
    'Bytes of the journal of this process that are not in the database.',
    () => shipper.state().waitingBytes,
  );
  meter.gauge(
    'waymark_edge_journal_rejected_records',
    'Click records set aside in this data folder.',
    () => shipper.state().rejected,
  );
  meter.gauge('waymark_edge_database_up', 'Whether the database can be asked and heard.', () => Number(isDatabaseUp()));
  const caches = (count: 'bytes' | 'hits' | 'misses' | 'size') => () => {
    const { domains, links } = lookup.counts();
    return samplesOf('cache', { domains: domains[count], links: links[count] });
  };
  meter.counter('waymark_edge_cache_hits_total', 'Questions answered from memory.', caches('hits'), ['cache']);
  meter.counter('waymark_edge_cache_misses_total', 'Questions that waited for the database.', caches('misses'), [
    'cache',
  ]);
  meter.gauge('waymark_edge_cache_entries', 'Values in memory.', caches('size'), ['cache']);
  meter.gauge('waymark_edge_cache_bytes', 'What values in memory take, about.', caches('bytes'), ['cache']);
}
