import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { createSignedEnds } from '#core/secrets/signed-ends.ts';

/** Proof, in a visitor's browser, that a link's password was given: the one cookie that the edge reads (4.15). */
export type PasswordCookie = ReturnType<typeof createPasswordCookie>;

const name = 'waymark-link';
const lifetimeSeconds = 3_600;

/**
 * Signs cookies with HMAC-SHA256 over link, password hash and end.
 * @param secretKeys the first signs, all verify.
 * @param isSecure whether visitors come by https.
 */
export function createPasswordCookie(secretKeys: readonly string[], isSecure: boolean) {
  const proofs = createSignedEnds(secretKeys, { purpose: 'link password', lifetimeSeconds });
  const textOf = (link: CompiledLink) => (end: string) => `${link.id}\n${link.passwordHash}\n${end}`;

  return {
    /**
     * The Set-Cookie header that opens a link for an hour.
     * @param path of the link as it was visited; the cookie is sent nowhere else.
     */
    issue(link: CompiledLink, path: string, nowMs: number): string {
      const attributes = `Max-Age=${lifetimeSeconds}; Path=${path}; HttpOnly; SameSite=Lax`;
      return `${name}=${proofs.issue(textOf(link), nowMs)}; ${attributes}${isSecure ? '; Secure' : ''}`;
    },
    /** Whether a Cookie header holds a valid cookie for this link and its current password. */
    isHeld(link: CompiledLink, cookies: string | undefined, nowMs: number): boolean {
      if (cookies === undefined) return false;
      return cookies.split(';').some((cookie) => {
        const [, proof] = /^\s*waymark-link=(\S+)\s*$/.exec(cookie) ?? [];
        return proof !== undefined && proofs.isValid(proof, textOf(link), nowMs);
      });
    },
  };
}
