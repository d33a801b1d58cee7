import { describe, expect, it } from 'vitest';
import { createWebhookSecret, signMessage } from '#core/webhooks/signing.ts';
import { WebhookVerificationError } from '#sdk/typescript/src/errors.ts';
import { verifyWebhook } from '#sdk/typescript/src/webhooks.ts';

const nowSeconds = 1_795_309_633;
const [secret, previous, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
const body = '{"id":"a","type":"link.deleted","createdAt":"2026-11-22T01:07:13.895Z","data":{"text":"Grüße 🙂"}}';
const sign = (signatureHeader = 'X-Service-Signature'): Record<string, string> =>
  signMessage({ id: 'a', timestamp: nowSeconds, body }, { current: secret, previous }, signatureHeader);

describe.each(['standard', 'body'] as const)('a webhook that is verified by %s', (scheme) => {
  it('is its event, whatever form headers and body have', async () => {
    const forms = [sign(), new Headers(sign()), Object.fromEntries(Object.entries(sign()).map(([k, v]) => [k, [v]]))];
    for (const headers of forms)
      for (const form of [body, Buffer.from(body)]) {
        const event = await verifyWebhook(form, headers, { secret, scheme, nowSeconds });
        expect(event).toMatchObject({ id: 'a', type: 'link.deleted' });
      }
  });

  it('is verified by a secret with the end of its line, as it comes from a file', async () => {
    const event = await verifyWebhook(body, sign(), { secret: `${secret}\n`, scheme, nowSeconds });
    expect(event).toMatchObject({ id: 'a' });
  });

  it('is refused where a byte, the secret or the signature is another', async () => {
    for (const [sent, headers, used] of [
      [body.replace('a', 'b'), sign(), secret],
      [body, sign(), other],
      [body, sign(), ''],
      [body, {}, secret],
      [body, { ...sign(), 'webhook-signature': 'v1,%', 'X-Service-Signature': 'sha256=00' }, secret],
    ] as const)
      await expect(verifyWebhook(sent, headers, { secret: used, scheme, nowSeconds })).rejects.toBeInstanceOf(
        WebhookVerificationError,
      );
  });
});

it.each(['standard', 'body'] as const)('a body that is parsed already is refused by %s', async (scheme) => {
  const parsed = JSON.parse(body) as string;
  const failed = verifyWebhook(parsed, sign(), { secret, scheme, nowSeconds });
  await expect(failed).rejects.toBeInstanceOf(WebhookVerificationError);
});

it('a secret that is none is told', async () => {
  const failed = verifyWebhook(body, sign(), { secret: 'whsec_%', nowSeconds });
  await expect(failed).rejects.toThrow('This is no secret of a webhook');
});

it('a webhook is verified by the secret before, while the secret is exchanged', async () => {
  expect(await verifyWebhook(body, sign(), { secret: previous, nowSeconds })).toMatchObject({ id: 'a' });
});

it('a webhook of more than five minutes ago is refused, but for a greater tolerance', async () => {
  const late = { secret, nowSeconds: nowSeconds + 301 };
  await expect(verifyWebhook(body, sign(), late)).rejects.toThrow('300 s off');
  expect(await verifyWebhook(body, sign(), { ...late, toleranceSeconds: 301 })).toMatchObject({ id: 'a' });
});

it('a webhook is verified by the header that the operator has named', async () => {
  const named = { secret, scheme: 'body', signatureHeader: 'X-Own-Signature' } as const;
  expect(await verifyWebhook(body, sign('X-Own-Signature'), named)).toMatchObject({ id: 'a' });
});
