import * as z from 'zod';
import { recordOf } from '#core/lib/schemas.ts';
import { rowContext, type Sealing } from '#core/secrets/sealing.ts';

/** Headers that a webhook adds to its requests, by their names as the client wrote them. */
export type WebhookHeaders = Readonly<Record<string, string>>;

export const webhookHeadersPurpose = 'webhook headers';

// Choices.
const mostHeaders = 10;
const longestName = 100;
const longestValue = 2_000;

// Headers of which a request is made or which its signatures use, and headers of one connection (RFC 9110 §7.6.1).
const reserved = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const reservedPrefixes = ['proxy-', 'webhook-'];

/** Whether requests of webhooks have this header, or no client may set it. @param signatureHeader as configured. */
export function isReservedHeader(name: string, signatureHeader: string): boolean {
  const lower = name.toLowerCase();
  return (
    reserved.has(lower) ||
    lower === signatureHeader.toLowerCase() ||
    reservedPrefixes.some((prefix) => lower.startsWith(prefix))
  );
}

/** Finds headers that requests of webhooks have themselves. */
export function reservedHeaderIssues(
  headers: WebhookHeaders | null | undefined,
  signatureHeader: string,
): HeaderIssue[] {
  const taken = Object.keys(headers ?? {}).filter((name) => isReservedHeader(name, signatureHeader));
  return taken.map((name) => ({ path: ['headers', name], message: 'is reserved' }));
}

interface HeaderIssue {
  path: ['headers', string];
  message: string;
}

/** Headers of a webhook as clients send them: tokens and visible ASCII (RFC 9110 §5), each name once without regard to case. */
export const webhookHeadersSchema = recordOf(
  z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be a header name')
    .max(longestName),
  z
    .string()
    .max(longestValue)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be visible ASCII, without spaces at its ends'),
).superRefine((headers, context) => {
  const names = Object.keys(headers);
  if (names.length > mostHeaders)
    context.addIssue({ code: 'custom', message: `must be at most ${mostHeaders} headers` });
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    context.addIssue({ code: 'custom', message: 'must name each header once' });
});

/** Seals headers for the row of their webhook; null: there are none. */
export function sealWebhookHeaders(sealing: Sealing, webhookId: string, headers: WebhookHeaders): Buffer | null {
  if (Object.keys(headers).length === 0) return null;
  return sealing.seal(webhookHeadersPurpose, JSON.stringify(Object.entries(headers)), rowContext(webhookId));
}

/** Opens what `sealWebhookHeaders` sealed, in the order given. @throws SealingError for another webhook, key or content. */
export function openWebhookHeaders(sealing: Sealing, webhookId: string, sealed: Uint8Array): [string, string][] {
  return JSON.parse(sealing.open(webhookHeadersPurpose, sealed, rowContext(webhookId)).toString());
}
