import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { GuardedHttp } from '../adapters/guarded-http.ts';
import { tellOwnerOfDisabled } from '../commands/webhook-mail.ts';
import type { Mailer } from '../core/mail.ts';
import { type Meter, noMeter, samplesOf } from '../core/meter.ts';
import type { Sealing } from '../core/sealing.ts';
import { failingFrom } from '../core/webhook-schedule.ts';
import type { Database } from '../db/database.ts';
import { holdDeliveries, type SendingWebhook } from '../db/deliveries.ts';
import { lookAhead } from '../db/webhook-outlook.ts';
import type { Pumps } from './pump/pumps.ts';
import { runPump } from './pump/run.ts';
import { createSender, openEndpoint } from './pump/send.ts';

/** What `createWebhookActivities` is built from. */
export interface WebhookDependencies {
  db: Database;
  http: GuardedHttp;
  sealing: Sealing;
  mailer: Mailer;
  /** Gaps after failed tries, in milliseconds. */
  gapsMs: readonly number[];
  /** Name of the header that bears the signature over the body alone. */
  signatureHeader: string;
  /** Aborted when the worker stops: nothing new is begun. */
  draining: AbortSignal;
  log: Pick<Logger, 'debug' | 'warn'>;
  meter?: Meter;
  /** Told of what more there is to send. */
  pumps: Pumps;
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
  /** Its owner has to be told that it was turned off. */
  mailDue: boolean;
  host: string;
}

/** Activities of `webhook`. */
export interface WebhookActivities {
  /** Sends what is due to one webhook, ten requests at once at most, and records every attempt. */
  pump(input: { webhookId: string }): Promise<PumpResult>;
  /** Writes to the owner of a webhook that was turned off for its failures. */
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
  signatureHeader,
  draining,
  log,
  meter = noMeter,
  pumps,
  lingerMs = 3_000,
  pumpForMs = 20_000,
  chunk = 200,
  random = Math.random,
}: WebhookDependencies): WebhookActivities {
  const attempts = { delivered: 0, failed: 0 };
  meter.counter(
    'waymark_webhook_attempts_total',
    'Attempts to deliver an event to a webhook, by result.',
    () => samplesOf('result', attempts),
    ['result'],
  );
  const send = createSender({ http, signatureHeader });

  return {
    async pump({ webhookId }) {
      const context = Context.current();
      const { workflowExecution, activityId, attempt } = context.info;
      const claim = `${workflowExecution?.runId}/${activityId}/${attempt}`;
      let leave: (() => void) | undefined;
      const done = await runPump({
        sql: db,
        webhookId,
        claim,
        send,
        open: (webhook) => openEndpoint(sealing, webhookId, webhook),
        gapsMs,
        lingerMs: pumps.count < manyPumps ? lingerMs : Math.min(lingerMs, shortLingerMs),
        onLook: (look) => void (leave = pumps.add(webhookId, look)),
        pumpForMs,
        chunk,
        lookEveryMs,
        random,
        draining,
        cancelled: context.cancellationSignal,
        heartbeat: (progress) => context.heartbeat(progress),
      }).finally(() => leave?.());
      attempts.delivered += done.delivered;
      attempts.failed += done.failed;
      // What was not sent has been put back: another worker goes on with it.
      if (context.cancellationSignal.aborted) await context.cancelled;
      let outlook = await lookAhead(db, webhookId);
      if (outlook?.state === 'off' && outlook.waiting > 0) {
        await holdDeliveries(db, webhookId);
        outlook = await lookAhead(db, webhookId);
      }
      if (outlook === undefined) return { ...done, ...gone };
      const { url, failures, ...rest } = outlook;
      if (done.failed > 0) log.debug({ webhookId, ...done, failures }, 'deliveries failed');
      return {
        ...done,
        ...rest,
        isFailing: rest.state === 'on' && failures >= failingFrom,
        consecutiveFailures: failures,
        host: new URL(url).host,
      };
    },
    tellOwner: ({ webhookId }) => tellOwnerOfDisabled(db, mailer, webhookId),
  };
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
