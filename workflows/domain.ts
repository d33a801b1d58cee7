import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DomainActivities, DomainLook } from '#activities/domains/domains.ts';
import { describeNeed, describeRecord, type FinishedCheck } from '#core/domains/dns.ts';
import { priorities } from '#core/temporal/priorities.ts';
import { domainIdKey, processName } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { workflowIdOf } from '#core/temporal/workflow-ids.ts';
import {
  activitiesOf,
  createListing,
  describeStart,
  detailsOf,
  isHistoryLong,
  isVersionOld,
  type ListedRow,
  moveOn,
  type Policy,
} from './shared.ts';

/** A domain, by its name in lower-case punycode. */
export interface DomainTarget {
  id: string;
  organizationId: string;
  domain: string;
}

export function startOfDomain({ id: domainId, organizationId, domain }: DomainTarget): WorkflowStart {
  const input: DomainInput = { domainId, organizationId, domain };
  return describeStart({
    type: 'domain',
    id: workflowIdOf('domain', domainId),
    input,
    signal: domainMessages.wake,
    summary: `Domain ${domain}`,
    organizationIds: [organizationId],
    name: processName([domain]),
    attributes: [{ key: domainIdKey, value: [domainId] }],
    state: 'unverified' satisfies DomainState,
  });
}

type DomainInput = Omit<DomainTarget, 'id'> & { domainId: string };

/**
 * `unverified`: its records are not right yet; `verified`; `failing`: verified, but its last checks found it wrong; `taken`:
 * another organization has verified the name; `deleted`: the workflow has ended.
 */
type DomainState = 'unverified' | 'verified' | 'failing' | 'taken' | 'deleted';

/** What the workflow knows: its answer to `status`, and what it carries over when it continues as new. */
export interface DomainStatus {
  state: DomainState;
  /** Checks since the workflow began, requested checks included. */
  checks: number;
  /** Checks in a row that found the domain wrong. */
  failedChecks: number;
  /** ISO 8601; null: not yet. */
  checkedAt: string | null;
  /** What the last check found, a line for each record. */
  found: string[];
  /** What the records that are not right have to be, a line for each. Absent where an earlier version has checked last. */
  needed?: string[];
  /** Why the last check has not found it right, in a few words; absent: it has, or an earlier version checked last. */
  wrong?: string;
  /** The next scheduled check, ISO 8601; null: at once, or never again. */
  nextAt: string | null;
}

/** Messages that the workflow takes: a signal, and an update. */
export const domainMessages = { wake: 'wake', check: 'check' } as const;
const wakeSignal = defineSignal(domainMessages.wake);
/** Checks the domain at once. Callers that come while such a check is under way share its result. */
const checkUpdate = defineUpdate<FinishedCheck>(domainMessages.check);
export const domainStatusQuery = defineQuery<DomainStatus>('status');

/**
 * A check asks name servers about one domain, for seven seconds at most, and writes a row. It is tried for some minutes; then the
 * workflow waits and looks again.
 */
const checkPolicy: Policy = {
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '5m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};

/** For a caller that waits, and checks by itself when it takes too long. */
const askedCheckPolicy: Policy = {
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '20s',
  priority: { priorityKey: priorities.awaited },
  retry: { initialInterval: '500ms', backoffCoefficient: 2 },
};

// Most domains sleep for a day and leave the worker's cache, and a short history is replayed fast. It also keeps far from
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
  const list = createListing(before?.state);
  let isWoken = true;
  // A check that was asked for has moved the time of the next.
  let isMoved = false;
  let isEnding = false;
  let nextAtMs = 0;
  // Temporal tells 0 where the start named no weight, and takes it for 1.
  let weight = workflowInfo().priority?.fairnessWeight || 1;
  let asked: Promise<DomainLook> | undefined;
  const isOver = (): boolean => isHistoryLong(maxHistoryLength) || isVersionOld();

  setHandler(domainStatusQuery, () => status, { description: 'How the domain stands, and what its last check found.' });
  setHandler(wakeSignal, () => void (isWoken = true), { description: 'Look at the row; checks only what is due.' });
  setHandler(checkUpdate, ask, {
    description: 'Check the DNS records now. A verified domain that is found wrong by this is lost at once.',
    validator: () => {
      if (isEnding) throw ApplicationFailure.nonRetryable('the workflow continues as new');
    },
  });

  for (;;) {
    if (status.state === 'deleted') {
      isEnding = true;
      await condition(allHandlersFinished);
      return status;
    }
    if (isOver()) {
      isEnding = true;
      await condition(allHandlersFinished);
      await moveOn<typeof domain>(input, status);
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
    if (!(await condition(() => isWoken || isMoved || isOver(), restMs, { summary }))) isWoken = true;
  }

  async function look(): Promise<void> {
    const { checkDomain } = activitiesOf<DomainActivities>(checkPolicy, `Check ${input.domain}`);
    try {
      take(await checkDomain({ domainId: input.domainId, isAsked: false, weight }));
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
    const { checkDomain } = activitiesOf<DomainActivities>(askedCheckPolicy, `Check ${input.domain}, as asked`);
    const result = await checkDomain({ domainId: input.domainId, isAsked: true, weight });
    take(result);
    isMoved = true;
    return result;
  }

  function take(result: DomainLook): void {
    weight = result.weight ?? weight;
    if (result.isGone) {
      show({ ...status, state: 'deleted', nextAt: null });
      return;
    }
    const { check, failedChecks, nextInMs } = result;
    nextAtMs = Date.now() + nextInMs;
    // Of no check, what the last one found still holds.
    const wrong = check === null ? status.wrong : wrongOf(check);
    show({
      ...(wrong === undefined ? {} : { wrong }),
      state: stateAfter(result, status.state),
      checks: status.checks + (check === null ? 0 : 1),
      failedChecks,
      checkedAt: check === null ? status.checkedAt : check.checkedAt,
      found: check === null ? status.found : check.records.map(describeRecord),
      needed: check === null ? (status.needed ?? []) : check.records.flatMap((record) => describeNeed(record) ?? []),
      nextAt: new Date(nextAtMs).toISOString(),
    });
  }

  function show(next: DomainStatus): void {
    // Of two checks the one that found the domain deleted wins, whichever ended last.
    if (status.state === 'deleted') return;
    status = next;
    setCurrentDetails(describe(input.domain, next));
    list(rowOf(input.domain, next));
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

function wrongOf({ outcome, records, result }: FinishedCheck): string | undefined {
  if (result === 'taken') return 'verified by another organization';
  if (outcome === 'unknown') return 'no name server could be asked';
  const types = records.filter(({ ok }) => !ok).map(({ type }) => type);
  return outcome === 'right' ? undefined : `records are not right: ${[...new Set(types)].join(', ')}`;
}

function rowOf(domain: string, { state, wrong, nextAt }: DomainStatus): ListedRow {
  const nextStep = state === 'deleted' ? null : 'next check';
  return { state, displayName: processName([domain]), lastError: wrong, nextStep, nextAt };
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
    // Flat: the Temporal UI runs the items of an inner list together.
    ...needed.map((line) => `- needed: ${line}`),
    ...found.map((line) => `- found: ${line}`),
    ...(checkedAt === null ? [] : [`- checked at ${checkedAt}`]),
    ...(nextAt === null ? [] : [`- looks again at ${nextAt}`]),
  ]);
}
