import { randomBytes } from 'node:crypto';
import { rowContext, type Sealing } from '#core/secrets/sealing.ts';

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
