import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from './derive-key.ts';

/** The text to sign for an end, which the text must hold. */
type TextOf = (end: string) => string;

/** Proofs that end, as `end.signature`: Unix time in seconds, and HMAC-SHA256 in base64url. */
interface SignedEnds {
  issue(textOf: TextOf, nowMs: number): string;
  /** Whether one of the keys has signed the text with the proof's end, which is still to come. */
  isValid(proof: string, textOf: TextOf, nowMs: number): boolean;
}

/** @param secretKeys the first signs, all verify. */
export function createSignedEnds(
  secretKeys: readonly string[],
  { purpose, lifetimeSeconds }: { purpose: string; lifetimeSeconds: number },
): SignedEnds {
  const keys = secretKeys.map((secretKey) => deriveKey(secretKey, purpose));
  const sign = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return {
    issue(textOf, nowMs) {
      const end = String(Math.floor(nowMs / 1_000) + lifetimeSeconds);
      return `${end}.${sign(keys[0]!, textOf(end)).toString('base64url')}`;
    },
    isValid(proof, textOf, nowMs) {
      const [, end, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(proof) ?? [];
      if (end === undefined || signature === undefined) return false;
      // An end later than now plus the lifetime is fine: the process that signed it may have a clock that is ahead.
      if (Number(end) * 1_000 <= nowMs) return false;
      const text = textOf(end);
      const given = Buffer.from(signature, 'base64url');
      return keys.some((key) => timingSafeEqual(sign(key, text), given));
    },
  };
}
