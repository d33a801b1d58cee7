import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { DomainActivities, DomainLook } from '#activities/domains/domains.ts';
import { describeNeed, describeRecord, type FinishedCheck } from '#core/domains/dns.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { askedCheckPolicy, checkPolicy, detailsOf, isHistoryLong } from './policies.ts';
import { domainMessages } from './starts.ts';

/** Which domain, by its row; `domain` is its name, lower-case punycode. */
export interface DomainInput {
  domainId: string;
  organizationId: string;
  domain: string;
}

/**
 * `unverified`: its records are not right yet; `verified`; `failing`: verified, but its last checks found it wrong; `taken`:
 * another organization has verified the name; `deleted`: the workflow has ended.
 */
export type DomainState = 'unverified' | 'verified' | 'failing' | 'taken' | 'deleted';

/** What the actor knows: its answer to `status`, and what it carries over when it continues as new. */
export interface DomainStatus {
  state: DomainState;
  /** Checks since the actor began, requested checks included. */
  checks: number;
  /** Checks in a row that found the domain wrong. */
  failedChecks: number;
  /** ISO 8601; null: not yet. */
  checkedAt: string | null;
  /** What the last check found, a line for each record. */
  found: string[];
  /** What the records that are not right have to be, a line for each. Absent where an earlier version has checked last. */
  needed?: string[];
  /** The next scheduled check, ISO 8601; null: at once, or never again. */
  nextAt: string | null;
}

/** Wakes the actor. The row says what there is to do. */
const wakeSignal = defineSignal(domainMessages.wake);
/** Checks the domain at once. Callers that come while such a check is under way share its result. */
const checkUpdate = defineUpdate<FinishedCheck>(domainMessages.check);
/** Reads the state of the domain. */
export const domainStatusQuery = defineQuery<DomainStatus>('status');

// A choice: most actors sleep for a day and leave the worker's cache, and a short history is replayed fast. It also keeps far from
// the 2,000 updates that Temporal allows a run.
const maxHistoryLength = 250;
const shortestWaitMs = 50;
const brokenPauseMs = 5 * 60_000;

/** A domain: checks its DNS records when it is time to and when asked, for as long as it is there. Its row is the truth. */
export async function domain(input: DomainInput, before?: DomainStatus): Promise<DomainStatus> {
  let status: DomainStatus = before ?? {
    state: 'unverified',
    checks: 0,
    failedChecks: 0,
    checkedAt: null,
    found: [],
    nextAt: null,
  };
  let shownState: DomainState | undefined = before?.state;
  let isWoken = true;
  // A check that was asked for has moved the time of the next.
  let isMoved = false;
  let isEnding = false;
  let nextAtMs = 0;
  let asked: Promise<DomainLook> | undefined;
  const isLong = (): boolean => isHistoryLong(maxHistoryLength);

  setHandler(domainStatusQuery, () => status, { description: 'How the domain stands, and what its last check found.' });
  setHandler(wakeSignal, () => void (isWoken = true), { description: 'Look at the row; checks only what is due.' });
  setHandler(checkUpdate, ask, {
    description: 'Check the DNS records now. A verified domain that is found wrong by this is lost at once.',
    validator: () => {
      if (isEnding) throw ApplicationFailure.nonRetryable('the actor continues as new');
    },
  });

  for (;;) {
    if (status.state === 'deleted') {
      isEnding = true;
      await condition(allHandlersFinished);
      return status;
    }
    if (isLong()) {
      isEnding = true;
      await condition(allHandlersFinished);
      await continueAsNew<typeof domain>(input, status);
    }
    if (isWoken) {
      // Reset before the look: a wake-up during it asks for another.
      isWoken = false;
      await look();
      continue;
    }
    isMoved = false;
    const restMs = Math.max(shortestWaitMs, nextAtMs - Date.now());
    const summary = 'Until the next check';
    if (!(await condition(() => isWoken || isMoved || isLong(), restMs, { summary }))) isWoken = true;
  }

  async function look(): Promise<void> {
    const { checkDomain } = proxyActivities<DomainActivities>({ ...checkPolicy, summary: `Check ${input.domain}` });
    try {
      take(await checkDomain({ domainId: input.domainId, isAsked: false }));
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a domain could not be checked');
      nextAtMs = Date.now() + brokenPauseMs;
    }
  }

  async function ask(): Promise<FinishedCheck> {
    // Never joins a scheduled check: a check on request takes the verification away at its first failure.
    asked ??= checkAsked().finally(() => (asked = undefined));
    const { check } = await asked;
    if (check === null) throw ApplicationFailure.nonRetryable('the domain is no longer there');
    return check;
  }

  async function checkAsked(): Promise<DomainLook> {
    const { checkDomain } = proxyActivities<DomainActivities>({
      ...askedCheckPolicy,
      summary: `Check ${input.domain}, as asked`,
    });
    const result = await checkDomain({ domainId: input.domainId, isAsked: true });
    take(result);
    isMoved = true;
    return result;
  }

  function take(result: DomainLook): void {
    if (result.isGone) {
      show({ ...status, state: 'deleted', nextAt: null });
      return;
    }
    const { check, failedChecks, nextInMs } = result;
    nextAtMs = Date.now() + nextInMs;
    show({
      state: stateAfter(result, status.state),
      checks: status.checks + (check === null ? 0 : 1),
      failedChecks,
      checkedAt: check === null ? status.checkedAt : check.checkedAt,
      found: check === null ? status.found : check.records.map(describeRecord),
      needed: check === null ? (status.needed ?? []) : check.records.flatMap((record) => describeNeed(record) ?? []),
      nextAt: new Date(nextAtMs).toISOString(),
    });
  }

  /** Shows operators the state. The search attribute is set only when it has changed: each change is an event. */
  function show(next: DomainStatus): void {
    // Of two checks the one that found the domain deleted wins, whichever ended last.
    if (status.state === 'deleted') return;
    status = next;
    setCurrentDetails(describe(input.domain, next));
    if (shownState === next.state) return;
    shownState = next.state;
    upsertSearchAttributes([{ key: stateKey, value: next.state }]);
  }
}

function stateAfter(
  { isVerified, failedChecks, check }: DomainLook & { isGone: false },
  before: DomainState,
): DomainState {
  if (isVerified) return failedChecks > 0 ? 'failing' : 'verified';
  const isTaken = check === null ? before === 'taken' : check.result === 'taken';
  return isTaken ? 'taken' : 'unverified';
}

const stateTexts: Record<DomainState, string> = {
  unverified: 'Not verified: its DNS records are not right yet.',
  verified: 'Verified.',
  failing: 'Verified, but its DNS records are no longer right; after the third failed check in a row it is not.',
  taken: 'Not verified: its DNS records are right, but another organization has verified the name.',
  deleted: 'The domain was deleted.',
};

/** The details of a domain for operators, in Markdown. */
function describe(name: string, status: DomainStatus): string {
  const { state, checks, failedChecks, checkedAt, found, needed = [], nextAt } = status;
  return detailsOf([
    `**${name}**: ${stateTexts[state]}`,
    '',
    `- checks since this workflow began: ${checks}`,
    `- failed in a row: ${failedChecks}`,
    ...(needed.length === 0 ? [] : ['- needed:', ...needed.map((line) => `  - ${line}`)]),
    ...(checkedAt === null ? [] : [`- found at ${checkedAt}:`, ...found.map((line) => `  - ${line}`)]),
    ...(nextAt === null ? [] : [`- looks again at ${nextAt}`]),
  ]);
}
