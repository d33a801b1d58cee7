import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createWebhookSecret, signMessage } from '#core/webhooks/signing.ts';

const now = (): number => Math.floor(Date.now() / 1_000);

test('any body is verified by Standard Webhooks and by the HMAC of the body', () => {
  fc.assert(
    fc.property(fc.json(), fc.uuid(), (body, id) => {
      const current = createWebhookSecret();
      const headers = signMessage(
        { id, timestamp: now(), body },
        { current, previous: undefined },
        'X-Service-Signature',
      );
      expect(new Webhook(current).verify(body, headers)).toEqual(JSON.parse(body));
      expect(headers['X-Service-Signature']).toBe(
        `sha256=${createHmac('sha256', current).update(Buffer.from(body)).digest('hex')}`,
      );
    }),
  );
});

test('during a rotation both secrets verify the standard header, and the new secret verifies the other one', () => {
  const [current, previous] = [createWebhookSecret(), createWebhookSecret()];
  const body = '{"a":1}';
  const headers = signMessage({ id: 'a', timestamp: now(), body }, { current, previous }, 'X-Sig');
  expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
  for (const secret of [current, previous]) expect(new Webhook(secret).verify(body, headers)).toEqual({ a: 1 });
  expect(headers['X-Sig']).toBe(`sha256=${createHmac('sha256', current).update(body).digest('hex')}`);
});

test('another secret, another body or another id verifies nothing', () => {
  const current = createWebhookSecret();
  const headers = signMessage({ id: 'a', timestamp: now(), body: '{}' }, { current, previous: undefined }, 'X-Sig');
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  expect(() => new Webhook(other).verify('{}', headers)).toThrow(WebhookVerificationError);
  expect(() => new Webhook(current).verify('{ }', headers)).toThrow(WebhookVerificationError);
  expect(() => new Webhook(current).verify('{}', { ...headers, 'webhook-id': 'b' })).toThrow(WebhookVerificationError);
});
