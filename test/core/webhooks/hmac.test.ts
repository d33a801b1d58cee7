import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHmacKey, signHmac } from '#core/webhooks/signing.ts';

test('keys and messages of any length have the HMAC that Node makes', () => {
  const bytes = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' });
  const prefix = fc.string({ unit: 'binary-ascii', maxLength: 100 });
  fc.assert(
    fc.property(bytes(200), prefix, bytes(9_000), fc.constantFrom('hex', 'base64'), (key, text, body, encoding) => {
      const expected = createHmac('sha256', key).update(text).update(body).digest(encoding);
      expect(signHmac(createHmacKey(key), text, body, encoding)).toBe(expected);
    }),
  );
});
