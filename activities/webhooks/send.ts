import type { IncomingHttpHeaders } from 'node:http';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { type GuardedHttp, GuardedHttpError, type GuardedResponse } from '#adapters/http/guarded-http.ts';
import { continueTrace } from '#core/trace.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { isReservedHeader, openWebhookHeaders } from '#core/webhooks/headers.ts';
import { openWebhookSecret, type SigningSecrets, signMessage } from '#core/webhooks/signing.ts';
import { parseRetryAfter } from '#core/webhooks/retries.ts';
import type { EndedAttempt } from '#db/webhooks/deliveries/records.ts';
import type { ClaimedDelivery, SendingWebhook } from '#db/webhooks/deliveries/sending.ts';
import { readAnswerText } from './answer-text.ts';

export interface Attempt extends Omit<EndedAttempt, 'id' | 'endedAgoMs' | 'retryInMs'> {
  /** The worker stopped before an answer came: the attempt says nothing about the receiver. */
  isGivenUp: boolean;
  /** The time for which the receiver asks to be left alone: its Retry-After. */
  retryAfterMs: number | undefined;
}

export type Send = (webhook: Endpoint, delivery: ClaimedDelivery, signal: AbortSignal) => Promise<Attempt>;

/** The address of a webhook, the secrets that sign what is sent there, and the headers that the webhook adds. */
export interface Endpoint {
  url: string;
  secrets: SigningSecrets;
  headers: readonly (readonly [name: string, value: string])[];
}

interface SenderOptions {
  http: GuardedHttp;
  signatureHeader: string;
}

/** Unseals the secrets and headers of a webhook. @throws SealingError where no secret key opens them. */
export function openEndpoint(sealing: Sealing, webhookId: string, webhook: SendingWebhook): Endpoint {
  const open = (sealed: Buffer): string => openWebhookSecret(sealing, webhookId, sealed);
  const { url, secretSealed, previousSecretSealed, headersSealed } = webhook;
  const previous = previousSecretSealed === null ? undefined : open(previousSecretSealed);
  const headers = headersSealed === null ? [] : openWebhookHeaders(sealing, webhookId, headersSealed);
  return { url, secrets: { current: open(secretSealed), previous }, headers };
}

/** Each attempt has a signature of its own; the body is the same in all of them. */
export function createSender({ http, signatureHeader }: SenderOptions): Send {
  return async ({ url, secrets, headers: added }, { eventId, body, trace }, signal) => {
    const at = new Date();
    const startedAt = performance.now();
    const message = { id: eventId, timestamp: Math.floor(at.getTime() / 1_000), body };
    const headers = ['content-type', 'application/json', 'user-agent', 'Waymark-Webhooks'];
    const signed = signMessage(message, secrets, signatureHeader);
    for (const name in signed) headers.push(name, signed[name]!);
    // The operator may have renamed the signature's header since they were set.
    for (const [name, value] of added) if (!isReservedHeader(name, signatureHeader)) headers.push(name, value);
    const attributes = {
      'http.request.method': 'POST',
      'server.address': new URL(url).host,
      'waymark.event_id': eventId,
    };
    return continueTrace(trace, 'webhook delivery', { attributes, kind: SpanKind.CLIENT }, async (span) => {
      const attempt = await http
        .request({ url, method: 'POST', headers, body, signal })
        .then((response) => answered(at, response))
        .catch((error: unknown) => failed(at, startedAt, error));
      if (attempt.code !== null) span?.setAttribute('http.response.status_code', attempt.code);
      if (!attempt.isDelivered)
        span?.setStatus({ code: SpanStatusCode.ERROR, ...(attempt.error === null ? {} : { message: attempt.error }) });
      return attempt;
    });
  };
}

function answered(at: Date, { status: code, headers, body, durationMs }: GuardedResponse): Attempt {
  const isDelivered = code >= 200 && code < 300;
  return {
    at,
    isDelivered,
    isGone: code === 410,
    isGivenUp: false,
    code,
    durationMs,
    body: readAnswerText(body, firstOf(headers['content-encoding'])),
    error: null,
    errorCode: null,
    retryAfterMs: isDelivered ? undefined : retryAfterOf(headers),
  };
}

function failed(at: Date, startedAt: number, error: unknown): Attempt {
  const isKnown = error instanceof GuardedHttpError;
  const isGivenUp = isKnown && error.kind === 'aborted';
  return {
    at,
    isDelivered: false,
    isGone: false,
    isGivenUp,
    code: null,
    durationMs: performance.now() - startedAt,
    body: null,
    error: isKnown ? error.message : 'The request could not be made.',
    errorCode: isKnown && error.kind !== 'aborted' ? error.kind : 'other',
    retryAfterMs: undefined,
  };
}

function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  return parseRetryAfter(firstOf(headers['retry-after']), Date.now());
}

/** A header that was sent more than once is a list; the first value counts. */
function firstOf(header: string | string[] | undefined): string | undefined {
  return [header].flat()[0];
}

/** The label of an attempt in the metrics: `2xx` to `5xx`, or why no answer came. */
export function outcomeOf({ code, errorCode }: Pick<Attempt, 'code' | 'errorCode'>): string {
  return code === null ? (errorCode ?? 'other') : `${Math.floor(code / 100)}xx`;
}
