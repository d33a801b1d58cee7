import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { withHeartbeat } from '#activities/turn.ts';
import { ScanError } from '#adapters/threat-scanners/threat-scanner.ts';
import type { ThreatListSource } from '#adapters/threat-scanners/scanner.ts';
import { HashPrefixList } from '#core/threats/hash-prefix-list.ts';
import { ThreatDiffError } from '#core/threats/threat-diff-error.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { forgetVersionToken, readThreatList, storeThreatList } from '#db/threats/threat-lists.ts';

interface ThreatListDependencies {
  em: EntityManager;
  /** Undefined: the worker uses no lists. */
  source: ThreatListSource | undefined;
  log: Pick<Logger, 'info' | 'warn'>;
  now?: () => number;
}

/**
 * `waiting`: the time of the next changes has not come; `changed`; `unchanged`; `reset`: a change did not fit the list, and the
 * next request asks for all of it; `superseded`: another worker was faster; `off`: the worker uses no lists.
 */
type ThreatListState = 'waiting' | 'changed' | 'unchanged' | 'reset' | 'superseded' | 'off';

/** What became of a list. `nextDiffAt`: ISO 8601. */
export interface ThreatListOutcome {
  state: ThreatListState;
  entries?: number;
  nextDiffAt?: string;
}

export type ThreatListActivities = ReturnType<typeof createThreatListActivities>;

// Where Web Risk recommends no time. A choice; so are its bounds, of which the upper one keeps a wrong clock from stopping updates.
const usualGapMs = 30 * 60_000;
const shortestGapMs = 60_000;
const longestGapMs = 24 * 60 * 60_000;

export function createThreatListActivities({ em, source, log, now = Date.now }: ThreatListDependencies) {
  return {
    /**
     * Asks Web Risk for the changes of a list where their time has come, and stores the changed list. Fails, to be retried, without
     * an answer, and where even a whole list does not have its checksum.
     */
    async updateThreatList({ threatType }: { threatType: ThreatType }): Promise<ThreatListOutcome> {
      if (source === undefined) return { state: 'off' };
      const { cancellationSignal } = Context.current();
      try {
        return await withHeartbeat(() => update(source, threatType, cancellationSignal));
      } catch (error) {
        if (!(error instanceof ScanError)) throw error;
        const { message, retryAfterMs } = error;
        throw ApplicationFailure.create({ type: 'NoAnswer', message, nextRetryDelay: retryAfterMs });
      }
    },
  };

  async function update(
    from: ThreatListSource,
    threatType: ThreatType,
    signal: AbortSignal,
  ): Promise<ThreatListOutcome> {
    const stored = await readThreatList(em, threatType);
    if (stored?.list !== undefined && stored.nextDiffAt.getTime() > now())
      return { state: 'waiting', entries: stored.list.entries, nextDiffAt: stored.nextDiffAt.toISOString() };
    if (stored !== undefined && stored.list === undefined)
      log.warn({ threatType }, 'a stored threat list does not have its checksum: all of it is asked for');
    // Without a list, or with one that is damaged, a change has nothing to apply to.
    const token = stored?.list === undefined ? null : stored.versionToken;
    try {
      const diff = await from.computeDiff(threatType, token ?? Buffer.alloc(0), signal);
      if (token === null && !diff.isReset) throw new ThreatDiffError('changes were sent where all was asked for');
      const list = (stored?.list ?? HashPrefixList.empty).apply(diff);
      if (!list.checksum().equals(diff.checksum)) throw new ThreatDiffError('the list does not have its checksum');
      const nextDiffAt = withinBounds(diff.nextDiffAt);
      if (!(await storeThreatList(em, threatType, { ...diff, list, nextDiffAt }, stored)))
        return { state: 'superseded' };
      const isSame = stored?.list !== undefined && stored.checksum.equals(diff.checksum);
      const { entries } = list;
      return { state: isSame ? 'unchanged' : 'changed', entries, nextDiffAt: nextDiffAt.toISOString() };
    } catch (error) {
      if (!(error instanceof ThreatDiffError) || token === null) throw error;
      log.warn({ threatType, reason: error.message }, 'changes do not fit a threat list: all of it is asked for');
      await forgetVersionToken(em, threatType);
      return { state: 'reset' };
    }
  }

  function withinBounds(recommended: Date | undefined): Date {
    const atMs = recommended?.getTime() ?? now() + usualGapMs;
    return new Date(Math.min(now() + longestGapMs, Math.max(now() + shortestGapMs, atMs)));
  }
}
