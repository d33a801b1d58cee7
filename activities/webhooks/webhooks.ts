import { Context } from '@temporalio/activity';
import type { ActivityCancellationDetails } from '@temporalio/common';
import type { Logger } from 'pino';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';
import { tellOwnerOfWebhook } from '#commands/webhooks/mail.ts';
import type { Mailer } from '#core/lib/mail.ts';
import { type Meter, noMeter, type Sample, samplesOf } from '#core/lib/meter.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { failingFrom } from '#core/webhooks/schedule.ts';
import type { WebhookChange } from '#core/webhooks/standing.ts';
import type { Database } from '#db/connection/database.ts';
import { holdDeliveries } from '#db/webhooks/deliveries.ts';
import { readNextDue, type SendingWebhook } from '#db/webhooks/sending.ts';
import type { RunningPumps } from './running-pumps.ts';
import { type NotedChange, runPump } from './pump.ts';
import { createSender, openEndpoint, outcomeOf, type Send } from './send.ts';

/** What `createWebhookActivities` is built from. */
export interface WebhookDependencies {
  db: Database;
  http: GuardedHttp;
  sealing: Sealing;
  mailer: Mailer;
  /** Gaps after failed tries, in milliseconds. */
  gapsMs: readonly number[];
  /** Gaps before the probes of a webhook that fails, in milliseconds; the last one repeats. */
  probeDelaysMs: readonly number[];
  /** Name of the header that bears the signature over the body alone. */
  signatureHeader: string;
  /** Aborted when the worker stops: nothing new is begun. */
  draining: AbortSignal;
  log: Pick<Logger, 'debug' | 'info' | 'warn'>;
  meter?: Meter;
  /** The number of this process (`holdPumpLock`); null: other processes take its pumps for dead. */
  processId: number | null;
  /** Is notified of further deliveries to send. */
  pumps: RunningPumps;
  /** How long a pump waits for more after its last attempt. */
  lingerMs?: number;
  /** How long one pump takes up further deliveries. */
  pumpForMs?: number;
  /** How much is taken at once. */
  chunk?: number;
  random?: () => number;
}

/** What a pump has done, and how the webhook stands after it. */
export interface PumpResult {
  delivered: number;
  failed: number;
  state: SendingWebhook['state'];
  isFailing: boolean;
  consecutiveFailures: number;
  /** Deliveries that wait, counted up to 10,000. */
  waiting: number;
  /** Until something is due, in milliseconds; null: nothing will be. */
  nextInMs: number | null;
  /** Its owner has to be told that it fails, or was turned off. */
  mailDue: boolean;
  /** What the last failed attempt was answered; null: none has failed. Pumps of earlier versions do not tell. */
  lastFailure?: WebhookFailure | null;
  host: string;
}

/** What a failed attempt was answered. */
export interface WebhookFailure {
  /** ISO 8601. */
  at: string;
  /** The status; null where no answer came. */
  code: number | null;
  /** Why none came. */
  error: string | null;
}

/** Activities of `webhook`. */
export interface WebhookActivities {
  /** Sends the due deliveries of one webhook, ten requests at once at most, and records every attempt. */
  pump(input: { webhookId: string }): Promise<PumpResult>;
  /** Writes to the owner of a webhook that fails, or was turned off for its failures. */
  tellOwner(input: { webhookId: string }): Promise<void>;
}

const lookEveryMs = 10_000;
// A worker has room for a thousand activities.
const manyPumps = 300;
const shortLingerMs = 500;

/** Makes the activities of `webhook`. */
export function createWebhookActivities({
  db,
  http,
  sealing,
  mailer,
  gapsMs,
  probeDelaysMs,
  signatureHeader,
  draining,
  log,
  meter = noMeter,
  processId,
  pumps,
  lingerMs = 3_000,
  pumpForMs = 20_000,
  chunk = 200,
  random = Math.random,
}: WebhookDependencies): WebhookActivities {
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
  const sendUncounted = createSender({ http, signatureHeader });
  const send: Send = async (...given) => {
    const made = await sendUncounted(...given);
    if (!made.isGivenUp) {
      const labels = { result: made.isDelivered ? 'delivered' : 'failed', outcome: outcomeOf(made) };
      const key = `${labels.result} ${labels.outcome}`;
      attempts.set(key, { labels, value: (attempts.get(key)?.value ?? 0) + 1 });
    }
    return made;
  };

  function note(webhookId: string, { change, error: reason, ...noted }: NotedChange): void {
    changes[change] += 1;
    const details = { webhookId, change, ...noted, ...(reason === null ? {} : { reason }) };
    if (change === 'recovered') log.info(details, 'a webhook that failed has recovered');
    else if (change === 'failing') log.warn(details, 'a webhook fails: everything waits behind a probe');
    else log.warn(details, 'a webhook was turned off by its failures');
  }

  return {
    async pump({ webhookId }) {
      const context = Context.current();
      const { workflowExecution, activityId, attempt } = context.info;
      const claim = `${workflowExecution?.runId}/${activityId}/${attempt}`;
      const { cancellationSignal: ended } = context;
      const cancelled = new AbortController();
      // One that Temporal has given up lets its requests end by themselves: the pump that follows waits for it.
      ended.addEventListener('abort', () => {
        if (!isGivenUpByTemporal(context.cancellationDetails)) cancelled.abort();
      });
      const end = pumps.begin(claim);
      let leave: (() => void) | undefined;
      const done = await runPump({
        sql: db,
        webhookId,
        claim,
        send,
        open: (webhook) => openEndpoint(sealing, webhookId, webhook),
        gapsMs,
        probeDelaysMs,
        processId,
        isRunning: pumps.isRunning,
        onNoted: (noted) => note(webhookId, noted),
        lingerMs: pumps.count < manyPumps ? lingerMs : Math.min(lingerMs, shortLingerMs),
        onLook: (look) => void (leave = pumps.add(webhookId, look)),
        pumpForMs,
        chunk,
        lookEveryMs,
        random,
        draining: AbortSignal.any([draining, ended]),
        cancelled: cancelled.signal,
        heartbeat: (progress) => context.heartbeat(progress),
      }).finally(() => {
        leave?.();
        end();
      });
      // What was not sent has been put back: another worker goes on with it.
      if (context.cancellationSignal.aborted) await context.cancelled;
      let nextDue = await readNextDue(db, webhookId);
      if (nextDue?.state === 'off' && nextDue.waiting > 0) {
        await holdDeliveries(db, webhookId);
        nextDue = await readNextDue(db, webhookId);
      }
      if (nextDue === undefined) return { ...done, ...gone };
      const { url, failures, lastFailureAt, lastFailureCode: code, lastFailureError: error, ...rest } = nextDue;
      if (done.failed > 0) log.debug({ webhookId, ...done, failures }, 'deliveries failed');
      return {
        ...done,
        ...rest,
        isFailing: rest.state === 'on' && failures >= failingFrom,
        consecutiveFailures: failures,
        host: new URL(url).host,
        lastFailure: lastFailureAt === null ? null : { at: lastFailureAt.toISOString(), code, error },
      };
    },
    tellOwner: ({ webhookId }) => tellOwnerOfWebhook(db, mailer, webhookId),
  };
}

/** Whether an activity was not cancelled by anybody: its heartbeats were late, or its workflow is no longer there. */
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
