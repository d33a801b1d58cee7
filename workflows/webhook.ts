import {
  ActivityFailure,
  condition,
  defineQuery,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { PumpResult, WebhookActivities, WebhookFailure } from '#activities/webhooks/webhooks.ts';
import { progressSignalName, type WebhookProgress } from '#core/webhooks/progress.ts';
import { processName, webhookIdKey } from '#core/temporal/search-attributes.ts';
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
  mailPolicy,
  moveOn,
  type Policy,
} from './shared.ts';

/** A webhook, with the host of its address. */
export interface WebhookTarget {
  id: string;
  organizationId: string;
  host: string;
}

export function startOfWebhook(
  { id: webhookId, organizationId, host }: WebhookTarget,
  signal: keyof typeof webhookSignals = 'wake',
): WorkflowStart {
  const input: WebhookInput = { webhookId, organizationId, host };
  return describeStart({
    type: 'webhook',
    id: workflowIdOf('webhook', webhookId),
    input,
    signal: webhookSignals[signal],
    summary: `Webhook to ${host}`,
    organizationIds: [organizationId],
    name: processName([host]),
    attributes: [{ key: webhookIdKey, value: webhookId }],
    state: 'idle' satisfies WebhookState,
  });
}

/** `host` is that of its address when the workflow was started. */
type WebhookInput = Omit<WebhookTarget, 'id'> & { webhookId: string };

/**
 * `idle`: nothing is due; `sending`; `waiting`: for the time of a retry; `failing`: for the time of a probe; `off`;
 * `paused`: by a call, or its organization is suspended or no longer premium; `stopped`: by an operator.
 */
export type WebhookState = 'idle' | 'sending' | 'waiting' | 'failing' | 'off' | 'paused' | 'stopped';

/** What the workflow knows: its answer to `status`, and what it carries over when it continues as new. */
export interface WebhookStatus {
  state: WebhookState;
  /** Attempts since the workflow began: with a 2xx, and others. */
  delivered: number;
  failed: number;
  consecutiveFailures: number;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** The next look without a wake-up, ISO 8601; null: none. */
  nextAt: string | null;
  host: string;
  /** An operator has stopped it. */
  isStopped: boolean;
  /** How the pump under way gets on; absent before its first report, after two seconds, and while none is under way. */
  progress?: WebhookProgress | undefined;
  /** What the last failed attempt was answered; null: none has failed. Not known of workflows that an earlier version began. */
  lastFailure?: WebhookFailure | null;
}

/** Signals that the workflow takes: look at the rows; stop sending; go on. */
const webhookSignals = { wake: 'wake', pause: 'pause', resume: 'resume' } as const;
const wakeSignal = defineSignal(webhookSignals.wake);
const pauseSignal = defineSignal(webhookSignals.pause);
const resumeSignal = defineSignal(webhookSignals.resume);
/** How the pump under way gets on, sent by it every few seconds while deliveries wait. */
const progressSignal = defineSignal<[WebhookProgress]>(progressSignalName);
export const webhookStatusQuery = defineQuery<WebhookStatus>('status');

/**
 * The activity sends the due deliveries of one webhook for 20 s at most, then waits up to 30 s for open requests. Temporal notices a dead
 * worker by the missing heartbeat, and retries without end: nothing else would send.
 */
const pumpPolicy: Policy = {
  queue: 'webhooks',
  startToCloseTimeout: '2m',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
};

// Each look is about six events of the history.
const maxHistoryLength = 2_000;
// A mail may wait for its server for a day. Beyond this the next run has it sent.
const maxHistoryLengthTelling = 10_000;
const shortestWaitMs = 50;

/** A webhook: sends due deliveries and waits for the next, for as long as the webhook exists. Its rows are the truth. */
export async function webhook(input: WebhookInput, before?: WebhookStatus): Promise<WebhookStatus> {
  let status: WebhookStatus = before ?? {
    state: 'idle',
    delivered: 0,
    failed: 0,
    consecutiveFailures: 0,
    waiting: 0,
    nextAt: null,
    host: input.host,
    isStopped: false,
  };
  const list = createListing(before?.state);
  let isWoken = true;
  let isTelling = false;
  let nextInMs: number | null = null;
  // A mail under way is not begun again for a new version: its end makes the workflow look again.
  const isOutdated = (): boolean => !isTelling && isVersionOld();
  const isLong = (): boolean =>
    isTelling ? workflowInfo().historyLength > maxHistoryLengthTelling : isHistoryLong(maxHistoryLength);
  setHandler(webhookStatusQuery, () => status, {
    description: 'How the webhook stands, and what its server last answered.',
  });
  setHandler(wakeSignal, () => void (isWoken = true), {
    description: 'Look at the rows for what is due; does no harm at any time.',
  });
  setHandler(pauseSignal, () => void (status = { ...status, isStopped: true }), {
    description:
      'Stop: what is under way ends, nothing new begins. For minutes or hours; for days turn the webhook off.',
  });
  setHandler(
    resumeSignal,
    () => {
      status = { ...status, isStopped: false };
      isWoken = true;
    },
    { description: 'End a pause: send all that has gathered.' },
  );

  setHandler(
    progressSignal,
    (progress) => {
      // One that comes after its pump's end is of no use.
      if (status.state === 'sending') show({ ...status, progress, waiting: progress.waiting });
    },
    { description: 'Sent by the pump under way; of no use to operators.' },
  );

  for (;;) {
    if (isLong() || isOutdated()) await moveOn<typeof webhook>(input, status);
    if (isWoken && !status.isStopped) {
      // Reset before the look: a wake-up during it asks for another.
      isWoken = false;
      status = { ...status, state: 'sending', progress: undefined };
      setCurrentDetails(describe(status));
      const { pump } = activitiesOf<WebhookActivities>(pumpPolicy, `Send to ${status.host}`);
      const result = await pump({ webhookId: input.webhookId });
      if (result.state === 'deleted') {
        const { host } = status;
        show({ ...afterLook(result), waiting: 0, nextAt: null, host }, 'The webhook was deleted.');
        return status;
      }
      if (result.mailDue && !isTelling) void tell();
      nextInMs = result.nextInMs;
      isWoken ||= nextInMs === 0;
      if (!isWoken) show(afterLook(result));
      // Details are free; the attribute is set by the next pump's first report.
      else setCurrentDetails(describe((status = { ...afterLook(result), state: 'sending' })));
      continue;
    }
    if (status.isStopped) {
      show({ ...status, state: 'stopped' });
      // Wake-ups during the pause make the history longer.
      await condition(() => !status.isStopped || isLong() || isOutdated());
    } else if (nextInMs === null) {
      await condition(() => isWoken || status.isStopped || isOutdated());
    } else {
      const summary = status.state === 'failing' ? 'Until the next probe' : 'Until the next retry';
      const restMs = Math.max(shortestWaitMs, nextInMs);
      if (!(await condition(() => isWoken || status.isStopped || isOutdated(), restMs, { summary }))) isWoken = true;
    }
  }

  /** Runs beside the loop: an unreachable mail server must not hold up a webhook that was turned on again. */
  async function tell(): Promise<void> {
    isTelling = true;
    const { tellOwner } = activitiesOf<WebhookActivities>(mailPolicy, 'Tell the owner');
    try {
      await tellOwner({ webhookId: input.webhookId });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('the owner could not be notified that a webhook is off');
    }
    isTelling = false;
  }

  function afterLook(result: PumpResult): WebhookStatus {
    return {
      ...status,
      state: stateAfter(result),
      delivered: status.delivered + result.delivered,
      failed: status.failed + result.failed,
      consecutiveFailures: result.consecutiveFailures,
      waiting: result.waiting,
      nextAt: result.nextInMs === null ? null : new Date(Date.now() + result.nextInMs).toISOString(),
      host: result.host,
      progress: undefined,
      lastFailure: result.lastFailure ?? status.lastFailure ?? null,
    };
  }

  function show(next: WebhookStatus, details = describe(next)): void {
    status = next;
    setCurrentDetails(details);
    list(rowOf(next));
  }
}

function stateAfter({ state, isFailing, nextInMs }: PumpResult): WebhookState {
  if (state !== 'on') return state === 'paused' ? 'paused' : 'off';
  if (isFailing) return 'failing';
  return nextInMs === null ? 'idle' : 'waiting';
}

const stateTexts: Record<WebhookState, string> = {
  idle: 'Nothing is due.',
  sending: 'Sending what is due.',
  waiting: 'Waiting for the time of a retry.',
  failing:
    'The endpoint fails: everything waits until a probe, one delivery at a time, succeeds. To probe now, send one again (`redeliver`).',
  off: 'The webhook is off; what is pending is held. Once its server is well: turn it on (`webhooks.enable`), then `recover`.',
  paused: 'The webhook is paused, or its organization is suspended or no longer premium; what is pending waits.',
  stopped: 'Stopped by an operator; the signal `resume` lets it go on.',
};

const nextSteps: Partial<Record<WebhookState, string>> = {
  failing: 'next probe',
  waiting: 'next retry',
  off: 'turn it on',
  stopped: 'signal resume',
};

/** A failing webhook is listed with its last answer until an attempt succeeds; one that sends has no next step. */
function rowOf({ state, host, consecutiveFailures, nextAt, lastFailure }: WebhookStatus): ListedRow {
  const isSending = state === 'sending';
  return {
    state,
    displayName: processName([host]),
    lastError: consecutiveFailures > 0 && lastFailure ? answerOf(lastFailure) : null,
    nextStep: isSending ? null : nextSteps[state],
    nextAt: isSending ? null : nextAt,
  };
}

function answerOf({ code, error }: WebhookFailure): string {
  return code === null ? (error ?? 'no answer') : `status ${code}`;
}

/** The details of a webhook for operators, in Markdown. */
function describe(status: WebhookStatus): string {
  const { state, delivered, failed, consecutiveFailures, nextAt, host, progress, lastFailure = null } = status;
  return detailsOf([
    `**${host}**: ${stateTexts[state]}`,
    '',
    `- attempts since this workflow began: ${delivered} delivered, ${failed} failed`,
    `- failures in a row: ${consecutiveFailures}`,
    ...(lastFailure === null ? [] : [`- last failure, at ${lastFailure.at}: ${answerOf(lastFailure)}`]),
    `- waiting: ${waitingOf(status)}`,
    ...(progress === undefined ? [] : linesOf(progress)),
    ...(nextAt === null ? [] : [`- ${nextSteps[state] ?? 'looks again'} at ${nextAt}`]),
  ]);
}

function waitingOf({ state, waiting, progress }: WebhookStatus): string {
  if (state === 'sending' && progress === undefined && waiting === 0) return 'counted once it has sent for two seconds';
  const count = waiting >= 10_000 ? '10,000 or more' : String(waiting);
  // Events do not wake a webhook that fails.
  return state === 'failing' || state === 'paused' ? `${count}, at its last look` : count;
}

function linesOf({ at, delivered, failed, perSecond, oldestDueAt }: WebhookProgress): string[] {
  return [
    `- the pump under way, up to ${at}: ${delivered} delivered, ${failed} failed; ${perSecond} a second now`,
    ...(oldestDueAt === null ? [] : [`- the oldest has been due since ${oldestDueAt}`]),
  ];
}
