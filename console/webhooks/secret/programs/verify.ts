// verify.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const toleranceSeconds = 5 * 60;

/** Checks id, time and body. `headers` as Node gives them, in lower case; `body` as it arrived. */
export function verifyStandard(
  secret: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  nowSeconds = Date.now() / 1000,
): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`] ?? ''),
  );
  if (!id || !signatures || !timestamp || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // While the secret is exchanged there are two.
  return signatures.split(' ').some((signature) => isEqual(signature, `v1,${expected}`));
}

/** Checks the body alone. */
export function verifyBody(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return isEqual(String(headers['x-service-signature'] ?? ''), `sha256=${expected}`);
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
