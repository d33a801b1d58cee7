import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { rowContext, type Sealing } from '#core/secrets/sealing.ts';

/** What signs an attempt: the present secret, and the previous one while it still does. */
export interface SigningSecrets {
  readonly current: string;
  readonly previous: string | undefined;
}

/** A message to sign: its id, Unix time in seconds, and the body's exact text. */
export interface SignedMessage {
  id: string;
  timestamp: number;
  body: string;
}

const secretPrefix = 'whsec_';

/**
 * The headers that sign a message (6.3): `sha256=` and the hexadecimal HMAC-SHA256 of the body, keyed with the whole secret,
 * under `headerName`; and those of Standard Webhooks, keyed with the bytes that the secret encodes, which during a rotation
 * bear the previous secret's signature too.
 */
export function signMessage(
  { id, timestamp, body }: SignedMessage,
  secrets: SigningSecrets,
  headerName: string,
): Record<string, string> {
  const { whole, decoded } = keysOf(secrets);
  const signatures = decoded.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    [headerName]: `sha256=${createHmac('sha256', whole).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** Secrets as keys of an HMAC. */
interface Keys {
  /** The present secret's text. */
  whole: KeyObject;
  /** The bytes that the present one and the previous one encode. */
  decoded: KeyObject[];
}

// To make a key of a text takes twice as long as to sign with it; one pair of secrets signs many messages.
const known = new WeakMap<SigningSecrets, Keys>();

function keysOf(secrets: SigningSecrets): Keys {
  let keys = known.get(secrets);
  if (keys === undefined) {
    const { current, previous } = secrets;
    const texts = previous === undefined ? [current] : [current, previous];
    keys = {
      whole: createSecretKey(Buffer.from(current)),
      decoded: texts.map((text) => createSecretKey(Buffer.from(text.slice(secretPrefix.length), 'base64'))),
    };
    known.set(secrets, keys);
  }
  return keys;
}

/** What secrets of webhooks are sealed for; each in the context of its webhook's row. */
export const webhookSecretPurpose = 'webhook secret';

const randomLength = 32;

/** Makes the secret of a webhook: `whsec_` and the base64 of 32 random bytes (6.1). */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(randomLength).toString('base64')}`;
}

/** Seals a secret for the row of its webhook, where it may stand as the present or the previous one (12.3). */
export function sealWebhookSecret(sealing: Sealing, webhookId: string, secret: string): Buffer {
  return sealing.seal(webhookSecretPurpose, secret, rowContext(webhookId));
}

/** Opens what `sealWebhookSecret` made. @throws SealingError where it cannot be opened. */
export function openWebhookSecret(sealing: Sealing, webhookId: string, sealed: Uint8Array): string {
  return sealing.open(webhookSecretPurpose, sealed, rowContext(webhookId)).toString();
}
