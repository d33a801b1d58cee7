import type { EventEmitter } from 'node:events';
import { Context } from '@temporalio/activity';
import type { ActivityCancellationDetails } from '@temporalio/common';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Logger } from 'pino';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';
import { withHeartbeat } from '#activities/turn.ts';
import { mailOwnerOfWebhook } from '#commands/webhooks/mail.ts';
import type { Mailer } from '#core/lib/mail.ts';
import { type Meter, noMeter, type Sample, samplesOf } from '#core/lib/meter.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { progressSignalName, type WebhookProgress } from '#core/webhooks/progress.ts';
import { failingFrom, type WebhookChange } from '#core/webhooks/standing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Delivery } from '#db/entities/webhooks.ts';
import { readNextDue, type SendingWebhook, readWaiting } from '#db/webhooks/deliveries/sending.ts';
import { type NotedChange, type PumpProgress, runPump } from './pump.ts';
import { type Attempt, createSender, openEndpoint, outcomeOf, type Send } from './send.ts';

interface ReportOptions {
  em: EntityManager;
  webhookId: string;
  /** The attempts of the pump so far. */
  progress: PumpProgress;
  send: (progress: WebhookProgress) => Promise<void>;
}

// Most pumps end before the first report, which is a signal: three events of the workflow's history.
const firstAfterMs = 2_000;
const everyMs = 5_000;

/** Reports how a pump gets on while deliveries wait. A report that fails is left out. @returns the function that ends it. */
export function startReports({ em, webhookId, progress, send }: ReportOptions): () => void {
  let attempts = 0;
  let atMs = performance.now();
  let timer = setTimeout(() => void report(), firstAfterMs);

  async function report(): Promise<void> {
    const { delivered, failed } = progress;
    const nowMs = performance.now();
    const perSecond = Math.round((delivered + failed - attempts) / ((nowMs - atMs) / 1_000));
    attempts = delivered + failed;
    atMs = nowMs;
    try {
      const { waiting, oldestDueAt } = await readWaiting(em, webhookId);
      const oldest = oldestDueAt?.toISOString() ?? null;
      if (oldest !== null)
        await send({ at: new Date().toISOString(), delivered, failed, perSecond, waiting, oldestDueAt: oldest });
    } catch {
      // The next one tells the same.
    }
    if (!hasEnded) timer = setTimeout(() => void report(), everyMs);
  }

  let hasEnded = false;
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}

/**
 * With 200 busy webhooks of one organization and ten requests each, a turn of the event loop took 0.3 s, and every statement of the process
 * at least one turn.
 */
const mostOpenOfOrganization = 200;
/** Of the process' ten connections. Without it each statement of another organization waited behind 200. */
const mostStatementsOfOrganization = 4;

/** What one organization may take of this process, which its pumps share. */
export function createOrganizationShares() {
  const organizations = new Map<string, { pumps: number; runStatement: LimitFunction }>();
  return {
    /** Counts a pump. */
    begin(organizationId: string) {
      const own = organizations.get(organizationId) ?? { pumps: 0, runStatement: pLimit(mostStatementsOfOrganization) };
      organizations.set(organizationId, own);
      own.pumps += 1;
      return {
        /** The most requests that the pump may have open now, at least one: the organization's, divided evenly. */
        readRequests: () => Math.max(1, Math.floor(mostOpenOfOrganization / own.pumps)),
        /** Runs a statement once fewer than four of the organization's pumps run. */
        runStatement: own.runStatement,
        end(): void {
          own.pumps -= 1;
          if (own.pumps === 0) organizations.delete(organizationId);
        },
      };
    },
  };
}

export interface WebhookDependencies {
  /** Serves to be forked. */
  em: EntityManager;
  http: GuardedHttp;
  sealing: Sealing;
  mailer: Mailer;
  /** Gaps after failed tries, in milliseconds. */
  gapsMs: readonly number[];
  /** Gaps before the probes of a webhook that fails, in milliseconds; the last one repeats. */
  probeDelaysMs: readonly number[];
  /** Name of the header with the signature of the body alone. */
  signatureHeader: string;
  /** Aborted when the worker stops: pumps begin nothing new. */
  draining: AbortSignal;
  log: Pick<Logger, 'debug' | 'info' | 'warn'>;
  meter?: Meter;
  /** Emits the id of a webhook that has more deliveries while a pump is at work. */
  notifications: EventEmitter;
  /** How long a pump waits for more deliveries after its last attempt, in milliseconds. */
  lingerMs?: number;
  /** How long one pump claims further deliveries, in milliseconds. */
  pumpForMs?: number;
}

/** The attempts of a pump, and its webhook after them. */
export interface PumpResult {
  delivered: number;
  failed: number;
  state: SendingWebhook['state'];
  isFailing: boolean;
  consecutiveFailures: number;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** Until a delivery is due, in milliseconds; null: none will be. */
  nextInMs: number | null;
  /** The owner has to be notified that the webhook fails, or was turned off. */
  mailDue: boolean;
  /** The answer to the last failed attempt; null: none failed. Results of earlier versions, in histories, lack it. */
  lastFailure?: WebhookFailure | null;
  host: string;
}

/** The answer to a failed attempt. */
export interface WebhookFailure {
  /** ISO 8601. */
  at: string;
  /** The status; null: there was no answer. */
  code: number | null;
  /** Why there was no answer. */
  error: string | null;
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

export function createWebhookActivities({
  em,
  http,
  sealing,
  mailer,
  gapsMs,
  probeDelaysMs,
  signatureHeader,
  draining,
  log,
  meter = noMeter,
  notifications,
  lingerMs = 3_000,
  pumpForMs = 20_000,
}: WebhookDependencies) {
  const attempts = new Map<string, Sample>();
  meter.counter(
    'waymark_webhook_attempts_total',
    'Attempts to deliver an event to a webhook, by result, and by the class of the answer or why there was none.',
    () => [...attempts.values()],
    ['result', 'outcome'],
  );
  const changes: Record<WebhookChange, number> = { failing: 0, recovered: 0, off: 0 };
  meter.counter(
    'waymark_webhook_changes_total',
    'Webhooks that began to fail (10 failures in a row), recovered from that, or were turned off by their failures.',
    () => samplesOf('change', changes),
    ['change'],
  );
  const shares = createOrganizationShares();
  const sendUncounted = createSender({ http, signatureHeader });
  const send: Send = async (...given) => {
    const made = await sendUncounted(...given);
    if (!made.isGivenUp) count(made);
    return made;
  };

  function count(made: Attempt): void {
    const outcome = outcomeOf(made);
    const counted = attempts.get(outcome);
    if (counted !== undefined) counted.value += 1;
    else attempts.set(outcome, { labels: { result: made.isDelivered ? 'delivered' : 'failed', outcome }, value: 1 });
  }

  function note(webhookId: string, { change, error: reason, ...noted }: NotedChange): void {
    changes[change] += 1;
    const details = { webhookId, change, ...noted, ...(reason === null ? {} : { reason }) };
    if (change === 'recovered') log.info(details, 'a webhook that failed has recovered');
    else if (change === 'failing') log.warn(details, 'a webhook fails: everything waits behind a probe');
    else log.warn(details, 'a webhook was turned off by its failures');
  }

  return {
    /** Sends the due deliveries of one webhook, at most ten at a time and fewer beside many pumps of its organization, and records every attempt. */
    async pump({ webhookId }: { webhookId: string }): Promise<PumpResult> {
      const context = Context.current();
      const { workflowExecution, activityId, attempt } = context.info;
      const pumpId = `${workflowExecution?.runId}/${activityId}/${attempt}`;
      const { cancellationSignal: ended } = context;
      const cancelled = new AbortController();
      // Where Temporal has given up the activity, its requests end by themselves: the next pump waits for them.
      ended.addEventListener('abort', () => {
        if (!isGivenUpByTemporal(context.cancellationDetails)) cancelled.abort();
      });
      const share = shares.begin(context.info.priority?.fairnessKey ?? webhookId);
      const progress: PumpProgress = { delivered: 0, failed: 0 };
      const endReports = startReports({
        em: em.fork(),
        webhookId,
        progress,
        async send(report) {
          const { workflowId, runId } = workflowExecution!;
          await context.client.workflow.getHandle(workflowId, runId).signal(progressSignalName, report);
        },
      });
      const pump = runPump({
        sql: { query: (query, values) => share.runStatement(() => em.query(query, values)) },
        webhookId,
        pumpId,
        send,
        open: (webhook) => openEndpoint(sealing, webhookId, webhook),
        gapsMs,
        probeDelaysMs,
        lingerMs,
        pumpForMs,
        readShare: share.readRequests,
        notifications,
        onNoted: (noted) => note(webhookId, noted),
        random: Math.random,
        draining: AbortSignal.any([draining, ended]),
        cancelled: cancelled.signal,
        progress,
      });
      await withHeartbeat(() => pump).finally(() => {
        share.end();
        endReports();
      });
      // Deliveries that were not sent are released: the next pump, of another worker, sends them.
      if (context.cancellationSignal.aborted) await context.cancelled;
      let nextDue = await readNextDue(em, webhookId);
      // An event may have been handed on while the webhook was turned off or deleted.
      if ((nextDue?.state === 'off' || nextDue?.state === 'deleted') && nextDue.waiting > 0) {
        await em.fork().getRepository(Delivery).holdPending(webhookId);
        nextDue = await readNextDue(em, webhookId);
      }
      if (nextDue === undefined) return { ...progress, ...gone };
      const { url, failures, lastFailureAt, lastFailureCode: code, lastFailureError: error, ...rest } = nextDue;
      if (progress.failed > 0) log.debug({ webhookId, ...progress, failures }, 'deliveries failed');
      return {
        ...progress,
        ...rest,
        isFailing: rest.state === 'on' && failures >= failingFrom,
        consecutiveFailures: failures,
        host: new URL(url).host,
        lastFailure: lastFailureAt === null ? null : { at: lastFailureAt.toISOString(), code, error },
      };
    },
    /** Sends the owner a mail about a webhook that fails, or was turned off for its failures. */
    tellOwner: ({ webhookId }: { webhookId: string }): Promise<void> =>
      mailOwnerOfWebhook(em.fork(), mailer, webhookId),
  };
}

/** Whether heartbeats came late or the workflow is gone; false: the workflow or the worker's stop cancelled the activity. */
function isGivenUpByTemporal(details: ActivityCancellationDetails | undefined): boolean {
  return details !== undefined && (details.timedOut || details.notFound);
}

const gone = {
  state: 'deleted',
  isFailing: false,
  consecutiveFailures: 0,
  waiting: 0,
  nextInMs: null,
  mailDue: false,
  host: '',
} as const;
