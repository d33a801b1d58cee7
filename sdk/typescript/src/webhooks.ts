import type {
  DomainLostEvent,
  DomainVerifiedEvent,
  ImportCompletedEvent,
  LinkCappedEvent,
  LinkClickedEvent,
  LinkCreatedEvent,
  LinkDeletedEvent,
  LinkExpiredEvent,
  LinkFlaggedEvent,
  LinkUpdatedEvent,
  WebhookDisabledEvent,
  WebhookTestEvent,
} from './generated/types.gen.ts';
import { WebhookVerificationError } from './errors.ts';

/** Every event that a webhook gets; `type` tells them apart. Later versions of the API may add types. */
export type WebhookEvent =
  | DomainLostEvent
  | DomainVerifiedEvent
  | ImportCompletedEvent
  | LinkCappedEvent
  | LinkClickedEvent
  | LinkCreatedEvent
  | LinkDeletedEvent
  | LinkExpiredEvent
  | LinkFlaggedEvent
  | LinkUpdatedEvent
  | WebhookDisabledEvent
  | WebhookTestEvent;

export interface VerifyOptions {
  /** The secret that the API showed when the webhook was made: `whsec_…`. */
  secret: string;
  /**
   * `standard` (the default) checks id, time and body by `webhook-signature`; `body` checks the body alone by `X-Service-Signature`,
   * so that a request of old can be sent again.
   */
  scheme?: 'standard' | 'body';
  /** Name of the header of `body`, where the operator of the installation has chosen another. */
  signatureHeader?: string;
  /** How far `webhook-timestamp` may be off; 300 by default. */
  toleranceSeconds?: number;
  /** Unix seconds; the present by default. */
  nowSeconds?: number;
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>;

/**
 * Checks that a request comes from Waymark.
 * @param body as it arrived: a parsed body that is serialized again has other bytes.
 * @throws WebhookVerificationError when it does not, or is older than the tolerance.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  const bytes = typeof body === 'string' ? encode(body) : body;
  // Frameworks that parse bodies hand over an object.
  if (!ArrayBuffer.isView(bytes))
    throw new WebhookVerificationError('The body is parsed: hand over the text or bytes.');
  const read = (name: string): string => readHeader(headers, name);
  // As it comes from a file, with the end of its line.
  const trimmed = { ...options, secret: options.secret.trim() };
  await (options.scheme === 'body' ? verifyBody : verifyStandard)(bytes, read, trimmed);
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

type Read = (name: string) => string;

async function verifyStandard(body: Uint8Array, read: Read, options: VerifyOptions): Promise<void> {
  const { toleranceSeconds = 300, nowSeconds = Date.now() / 1_000 } = options;
  const [id, timestamp] = [read('webhook-id'), read('webhook-timestamp')];
  if (id === '' || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('webhook-id or -timestamp is missing.');
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError(`webhook-timestamp is more than ${toleranceSeconds} s off.`);
  const key = fromBase64(options.secret.replace(/^whsec_/, ''));
  const signed = concat(encode(`${id}.${timestamp}.`), body);
  // While the secret is exchanged there are two.
  const signatures = read('webhook-signature').split(' ');
  const given = signatures.filter((text) => text.startsWith('v1,')).map((text) => fromBase64(text.slice(3)));
  await requireOne(key, given, signed, 'webhook-signature');
}

async function verifyBody(body: Uint8Array, read: Read, options: VerifyOptions): Promise<void> {
  const { signatureHeader = 'X-Service-Signature' } = options;
  const [, hex = ''] = /^sha256=([0-9a-f]{64})$/.exec(read(signatureHeader)) ?? [];
  const given = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  await requireOne(encode(options.secret), [given], body, signatureHeader);
}

/** Compares in constant time, as WebCrypto does. */
async function requireOne(
  secret: Uint8Array<ArrayBuffer>,
  signatures: Uint8Array<ArrayBuffer>[],
  signed: Uint8Array,
  header: string,
): Promise<void> {
  if (secret.length === 0) throw new WebhookVerificationError('This is no secret of a webhook, like whsec_….');
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of signatures)
    if (await crypto.subtle.verify('HMAC', key, signature, signed as Uint8Array<ArrayBuffer>)) return;
  throw new WebhookVerificationError(`${header} was not made with this secret.`);
}

function readHeader(headers: HeaderSource, name: string): string {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? '';
  const wanted = name.toLowerCase();
  const found = Object.entries(headers as Record<string, string | string[] | undefined>);
  const value = found.find(([key]) => key.toLowerCase() === wanted)?.[1];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** @returns no bytes where the text is no base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
