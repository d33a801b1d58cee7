import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { deriveKey } from '#core/secrets/derive-key.ts';

/** Proof that a visitor was shown the warning of a link's threats, in the form by which they go on. */
export interface WarningPass {
  /** @param client the visitor's address. */
  issue(link: CompiledLink, client: string, nowMs: number): string;
  /** Whether a pass is for this link as it is now and this client, and not older than ten minutes. */
  isValid(pass: string | null, link: CompiledLink, client: string, nowMs: number): boolean;
}

// Long enough for a visitor to read the warning and to ask the sender of the link.
const lifetimeSeconds = 600;

/**
 * Signs passes with HMAC-SHA256 over link, its destinations, client and end: another page cannot bring visitors past the warning
 * by a form of its own, since its server has another address than they have.
 * @param secretKeys the first signs, all verify.
 */
export function createWarningPass(secretKeys: readonly string[]): WarningPass {
  const keys = secretKeys.map((secretKey) => deriveKey(secretKey, 'link warning'));

  function sign(key: Buffer, link: CompiledLink, client: string, end: string): Buffer {
    const urls = [link.destination, ...link.rules.map(({ destination }) => destination)].map(({ url }) => url);
    return createHmac('sha256', key)
      .update(JSON.stringify([link.id, urls, client, end]))
      .digest();
  }

  return {
    issue(link, client, nowMs) {
      const end = String(Math.floor(nowMs / 1_000) + lifetimeSeconds);
      return `${end}.${sign(keys[0]!, link, client, end).toString('base64url')}`;
    },
    isValid(pass, link, client, nowMs) {
      const [, end, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(pass ?? '') ?? [];
      if (end === undefined || signature === undefined || Number(end) * 1_000 <= nowMs) return false;
      const given = Buffer.from(signature, 'base64url');
      return keys.some((key) => timingSafeEqual(sign(key, link, client, end), given));
    },
  };
}
