import { type Meter, noMeter, samplesOf } from '#core/lib/meter.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { readScanLag, type ScanLagging } from '#db/threats/scan-queue.ts';
import { findVerdicts } from '#db/threats/verdicts.ts';

/** The owner of scans that a call waits for. */
interface ScanCaller {
  organizationId: string;
  /** Whether the scans come from a bulk call or an import. */
  isBulk: boolean;
}

export type VerdictWaiter = ReturnType<typeof createVerdictWaiter>;

interface VerdictWaiterOptions {
  em: EntityManager;
  /** Whether scans lag, so that a call need not wait: see `createScanLag`. */
  isLagging: (caller: ScanCaller) => Promise<boolean>;
  onError: (error: Error) => void;
  meter?: Meter;
}

type OnVerdict = (urlHash: string, threatTypes: ThreatType[] | null) => void;

/** Delivers verdicts to the calls that wait for them: each waits for those of its own destinations, never for a workflow. */
export function createVerdictWaiter({ em, isLagging, onError, meter = noMeter }: VerdictWaiterOptions) {
  const listeners = new Map<string, Set<OnVerdict>>();
  const waits = { answered: 0, timedOut: 0, lagging: 0 };
  meter.counter(
    'waymark_api_verdict_waits_total',
    'Calls that wanted verdicts, by how their wait ended.',
    () => samplesOf('outcome', waits),
    ['outcome'],
  );

  const tell = (urlHash: string, threatTypes: ThreatType[] | null): void => {
    for (const onVerdict of listeners.get(urlHash) ?? []) onVerdict(urlHash, threatTypes);
  };

  async function readAgain(): Promise<void> {
    if (listeners.size === 0) return;
    for (const { urlHash, threatTypes, fresh } of await findVerdicts(em, [...listeners.keys()])) {
      if (fresh) tell(urlHash, threatTypes);
    }
  }

  return {
    /** Listens for verdicts. Call it before the commit that requests the scans, so that no quick verdict is missed. */
    listen(urlHashes: readonly string[]) {
      const found = new Map<string, ThreatType[] | null>();
      let notice: (() => void) | undefined;
      const onVerdict: OnVerdict = (urlHash, threatTypes) => {
        found.set(urlHash, threatTypes);
        notice?.();
      };
      for (const urlHash of urlHashes) {
        const others = listeners.get(urlHash);
        if (others === undefined) listeners.set(urlHash, new Set([onVerdict]));
        else others.add(onVerdict);
      }
      return {
        /**
         * Waits at most `timeoutMs` for verdicts, and not at all while scans lag.
         * @param awaited hexadecimal, a subset of the hashes that the listener has.
         * @param caller the owner of the scans.
         * @returns the verdict of each; null where none came in time.
         */
        async wait(awaited: readonly string[], timeoutMs: number, caller: ScanCaller) {
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
        [Symbol.dispose](): void {
          for (const urlHash of urlHashes) {
            const all = listeners.get(urlHash);
            all?.delete(onVerdict);
            if (all?.size === 0) listeners.delete(urlHash);
          }
        },
      };
    },
    /** Handles a notification of `channels.verdicts`. */
    onVerdicts(payload: string): void {
      for (const [urlHash, types] of Object.entries(JSON.parse(payload) as Record<string, ThreatType[] | null>)) {
        tell(urlHash, types);
      }
    },
    /** Reads the awaited verdicts from the database, because the listener may have missed notifications. */
    onGap: (): void => void readAgain().catch(onError),
  };
}

interface ScanLagOptions {
  em: EntityManager;
  /** Whether Temporal is reachable, by the last check. */
  isTemporalReachable: () => boolean;
  /** Milliseconds for which one reading of the database is reused. */
  keepMs?: number;
}

/**
 * Whether a caller's scans lag by more than a second, or cannot run at all (9.1). Scans of each organization wait apart, so the lag of
 * one delays no other; where several organizations lag, the scanner is slow for all. Reads the database only on demand, and at most
 * every `keepMs`.
 */
export function createScanLag({ em, isTemporalReachable, keepMs = 250 }: ScanLagOptions) {
  let lagging: ScanLagging = { organizationIds: new Set(), isBulk: false };
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<ScanLagging> | undefined;
  const look = async (): Promise<ScanLagging> => {
    try {
      lagging = await readScanLag(em);
      lookedAtMs = performance.now();
      return lagging;
    } finally {
      looking = undefined;
    }
  };
  return async (caller: ScanCaller): Promise<boolean> => {
    if (!isTemporalReachable()) return true;
    const isKnown = performance.now() - lookedAtMs < keepMs;
    return lags(isKnown ? lagging : await (looking ??= look()), caller);
  };
}

// One or two organizations may have enqueued more than a second of scans; a third one means a slow scanner.
const fewOrganizations = 2;

function lags({ organizationIds, isBulk }: ScanLagging, caller: ScanCaller): boolean {
  return (
    (caller.isBulk && isBulk) || organizationIds.has(caller.organizationId) || organizationIds.size > fewOrganizations
  );
}
