import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { deriveKey } from '#core/secrets/derive-key.ts';

/** Proof, in a visitor's browser, that a link's password was given: the one cookie that the edge reads (4.15). */
export interface PasswordCookie {
  /**
   * The Set-Cookie header that opens a link for an hour.
   * @param path of the link as it was visited; the cookie is sent nowhere else.
   */
  issue(link: CompiledLink, path: string, nowMs: number): string;
  /** Whether a Cookie header holds a valid cookie for this link and its current password. */
  isHeld(link: CompiledLink, cookies: string | undefined, nowMs: number): boolean;
}

const name = 'waymark-link';
const lifetimeSeconds = 3_600;
const maxHeaderLength = 8_192;

/**
 * Signs cookies with HMAC-SHA256 over link, password hash and end.
 * @param secretKeys the first signs, all verify.
 * @param isSecure whether visitors come by https.
 */
export function createPasswordCookie(secretKeys: readonly string[], isSecure: boolean): PasswordCookie {
  const keys = secretKeys.map((secretKey) => deriveKey(secretKey, 'link password'));

  function sign(key: Buffer, link: CompiledLink, end: string): Buffer {
    return createHmac('sha256', key).update(`${link.id}\n${link.passwordHash}\n${end}`).digest();
  }

  return {
    issue(link, path, nowMs) {
      const end = String(Math.floor(nowMs / 1_000) + lifetimeSeconds);
      const value = `${end}.${sign(keys[0]!, link, end).toString('base64url')}`;
      const attributes = `Max-Age=${lifetimeSeconds}; Path=${path}; HttpOnly; SameSite=Lax`;
      return `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
    },
    isHeld(link, cookies, nowMs) {
      if (cookies === undefined || cookies.length > maxHeaderLength) return false;
      return cookies.split(';').some((cookie) => {
        const [, end, signature] = /^\s*waymark-link=(\d{1,12})\.([\w-]{43})\s*$/.exec(cookie) ?? [];
        if (end === undefined || signature === undefined) return false;
        // More than an hour left is fine: the process that signed it may have a clock that is ahead.
        if (Number(end) * 1_000 <= nowMs) return false;
        const given = Buffer.from(signature, 'base64url');
        return keys.some((key) => timingSafeEqual(sign(key, link, end), given));
      });
    },
  };
}
