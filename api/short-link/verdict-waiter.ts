import { type Meter, noMeter, samplesOf } from '#core/lib/meter.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { Sql } from '#db/connection/database.ts';
import { noOrganization, readScanLag, type ScanLagging } from '#db/threats/scan-queue.ts';
import { findVerdicts } from '#db/threats/verdicts.ts';

/** What a call listens for, from before its commit until its answer. */
interface VerdictWatch extends Disposable {
  /**
   * Waits for verdicts, `timeoutMs` from now at most, and not at all while scans lag.
   * @param urlHashes hexadecimal, among those that the watch was opened for.
   * @param caller whose scans they are; without: those of anybody count as lagging.
   * @returns what has been found of each; null where nothing is known in time.
   */
  wait(urlHashes: readonly string[], timeoutMs: number, caller?: ScanCaller): Promise<Map<string, ThreatType[] | null>>;
}

/** Who waits for scans. */
export interface ScanCaller {
  organizationId: string;
  /** Whether they are some of very many. */
  isBulk: boolean;
}

/** Hands verdicts to the calls that wait for them. */
export interface VerdictWaiter {
  /** Begins to listen for verdicts. Opened before the commit that asks for them, so that a quick one is not missed. */
  open(urlHashes: readonly string[]): VerdictWatch;
  /** Takes a payload of `channels.verdicts`. */
  onVerdicts(payload: string): void;
  /** Reads again what is waited for, since notifications may have been missed. */
  onGap(): void;
}

interface VerdictWaiterOptions {
  sql: Sql;
  /** Whether scans lag, so that waiting would be in vain: see `createScanLag`. */
  isLagging: (caller?: ScanCaller) => Promise<boolean>;
  onError: (error: Error) => void;
  meter?: Meter;
}

type Listen = (urlHash: string, threatTypes: ThreatType[] | null) => void;

/** Makes the place where calls meet verdicts. A call waits for its own destinations, never for a workflow. */
export function createVerdictWaiter({ sql, isLagging, onError, meter = noMeter }: VerdictWaiterOptions): VerdictWaiter {
  const listeners = new Map<string, Set<Listen>>();
  const waits = { answered: 0, timedOut: 0, lagging: 0 };
  meter.counter(
    'waymark_api_verdict_waits_total',
    'Calls that wanted verdicts, by how their wait ended.',
    () => samplesOf('outcome', waits),
    ['outcome'],
  );

  const tell = (urlHash: string, threatTypes: ThreatType[] | null): void => {
    for (const listen of listeners.get(urlHash) ?? []) listen(urlHash, threatTypes);
  };

  async function readAgain(): Promise<void> {
    if (listeners.size === 0) return;
    for (const { urlHash, threatTypes, fresh } of await findVerdicts(sql, [...listeners.keys()])) {
      if (fresh) tell(urlHash, threatTypes);
    }
  }

  return {
    open(urlHashes) {
      const found = new Map<string, ThreatType[] | null>();
      let notice: (() => void) | undefined;
      const listen: Listen = (urlHash, threatTypes) => {
        found.set(urlHash, threatTypes);
        notice?.();
      };
      for (const urlHash of urlHashes) {
        const others = listeners.get(urlHash);
        if (others === undefined) listeners.set(urlHash, new Set([listen]));
        else others.add(listen);
      }
      return {
        async wait(awaited, timeoutMs, caller) {
          const done = Promise.withResolvers<void>();
          const isAnswered = (): boolean => awaited.every((urlHash) => found.has(urlHash));
          let end: keyof typeof waits = 'timedOut';
          notice = () => {
            if (isAnswered()) done.resolve();
          };
          notice();
          const timer = setTimeout(done.resolve, timeoutMs);
          isLagging(caller).then((lagging) => {
            if (!lagging) return;
            end = 'lagging';
            done.resolve();
          }, onError);
          await done.promise;
          waits[isAnswered() ? 'answered' : end] += 1;
          clearTimeout(timer);
          notice = undefined;
          return new Map(awaited.map((urlHash) => [urlHash, found.get(urlHash) ?? null]));
        },
        [Symbol.dispose]() {
          for (const urlHash of urlHashes) {
            const all = listeners.get(urlHash);
            all?.delete(listen);
            if (all?.size === 0) listeners.delete(urlHash);
          }
        },
      };
    },
    onVerdicts(payload) {
      for (const [urlHash, types] of Object.entries(JSON.parse(payload) as Record<string, ThreatType[] | null>)) {
        tell(urlHash, types);
      }
    },
    onGap: () => void readAgain().catch(onError),
  };
}

interface ScanLagOptions {
  sql: Sql;
  /** Whether the Temporal service can be reached, as of a moment ago. */
  isTemporalReachable: () => boolean;
  /** How long one look at the database counts. */
  keepMs?: number;
}

/**
 * Tells whether a caller's scans lag by more than a second, or cannot run at all (9.1). Organizations have lines of their own: what
 * waits in one of them delays no other, but where those of several lag, the scanner does. The database is asked only while
 * calls ask, and a few times a second at most.
 */
export function createScanLag({
  sql,
  isTemporalReachable,
  keepMs = 250,
}: ScanLagOptions): (caller?: ScanCaller) => Promise<boolean> {
  let lagging: ScanLagging = { organizationIds: new Set(), isBulk: false };
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<ScanLagging> | undefined;
  const look = async (): Promise<ScanLagging> => {
    try {
      lagging = await readScanLag(sql);
      lookedAtMs = performance.now();
      return lagging;
    } finally {
      looking = undefined;
    }
  };
  return async (caller) => {
    if (!isTemporalReachable()) return true;
    const isKnown = performance.now() - lookedAtMs < keepMs;
    return lags(isKnown ? lagging : await (looking ??= look()), caller);
  };
}

// One of them alone may have put more into its line than is scanned in a second.
const fewOrganizations = 2;

function lags({ organizationIds, isBulk }: ScanLagging, caller: ScanCaller | undefined): boolean {
  if (caller === undefined) return isBulk || organizationIds.size > 0;
  return (
    (caller.isBulk && isBulk) ||
    organizationIds.has(caller.organizationId) ||
    organizationIds.has(noOrganization) ||
    organizationIds.size > fewOrganizations
  );
}
