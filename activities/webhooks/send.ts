import { type GuardedHttp, GuardedHttpError, type GuardedHttpErrorKind } from '#adapters/http/guarded-http.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { openWebhookSecret, type SigningSecrets, signMessage } from '#core/webhooks/signing.ts';
import { parseRetryAfter } from '#core/webhooks/schedule.ts';
import type { ClaimedDelivery, SendingWebhook } from '#db/webhooks/sending.ts';

/** What one attempt came to. */
export interface Attempt {
  isDelivered: boolean;
  /** The receiver answered 410: it wants nothing any more. */
  isGone: boolean;
  /** It was given up because the worker stops: it says nothing about the receiver. */
  isGivenUp: boolean;
  at: Date;
  code: number | null;
  durationMs: number;
  body: string | null;
  error: string | null;
  /** The kind of that, for the metrics. */
  errorKind?: GuardedHttpErrorKind;
  /** What the receiver asks to be left alone for. */
  retryAfterMs: number | undefined;
}

/** Makes one attempt; never fails. */
export type Send = (webhook: Endpoint, delivery: ClaimedDelivery, signal: AbortSignal) => Promise<Attempt>;

/** Where attempts go, and what signs them. */
export interface Endpoint {
  url: string;
  secrets: SigningSecrets;
}

/** Settings of `createSender`. */
export interface SenderOptions {
  http: GuardedHttp;
  signatureHeader: string;
}

const keptBodyBytes = 4_096;

/** Opens the secrets of a webhook. @throws SealingError where none of the secret keys opens them. */
export function openEndpoint(sealing: Sealing, webhookId: string, webhook: SendingWebhook): Endpoint {
  const open = (sealed: Buffer): string => openWebhookSecret(sealing, webhookId, sealed);
  const { url, secretSealed, previousSecretSealed } = webhook;
  const previous = previousSecretSealed === null ? undefined : open(previousSecretSealed);
  return { url, secrets: { current: open(secretSealed), previous } };
}

/** Makes the function that sends one delivery: signed anew for each attempt, the body as it was made (6.3, 6.6). */
export function createSender({ http, signatureHeader }: SenderOptions): Send {
  return async ({ url, secrets }, { eventId, body }, signal) => {
    const at = new Date();
    const startedAt = performance.now();
    const message = { id: eventId, timestamp: Math.floor(at.getTime() / 1_000), body };
    const nothing = {
      isDelivered: false,
      isGone: false,
      isGivenUp: false,
      code: null,
      body: null,
      retryAfterMs: undefined,
    };
    try {
      const answer = await http.request({
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Waymark-Webhooks',
          ...signMessage(message, secrets, signatureHeader),
        },
        body,
        signal,
      });
      const { status, headers, durationMs } = answer;
      const isDelivered = status >= 200 && status < 300;
      // Sent more than once it comes as a list; the first counts.
      const [retryAfter] = [headers['retry-after']].flat();
      return {
        at,
        isDelivered,
        isGone: status === 410,
        isGivenUp: false,
        code: status,
        durationMs,
        body: textOf(answer.body),
        error: null,
        retryAfterMs: isDelivered ? undefined : parseRetryAfter(retryAfter, Date.now()),
      };
    } catch (error) {
      const durationMs = performance.now() - startedAt;
      if (!(error instanceof GuardedHttpError)) {
        return { ...nothing, at, durationMs, error: 'The request could not be made.' };
      }
      const { kind: errorKind, message } = error;
      return { ...nothing, at, durationMs, isGivenUp: errorKind === 'aborted', error: message, errorKind };
    }
  };
}

/** The outcome of an attempt as the metrics name it: `2xx` to `5xx`, or why no answer came. */
export function outcomeOf({ code, errorKind }: Pick<Attempt, 'code' | 'errorKind'>): string {
  return code === null ? (errorKind ?? 'other') : `${Math.floor(code / 100)}xx`;
}

/** The beginning of an answer as text that the database takes. */
function textOf(body: Buffer): string {
  return body.subarray(0, keptBodyBytes).toString().replaceAll('\0', '\u{fffd}');
}
