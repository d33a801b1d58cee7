import { z } from 'zod';
import type { Sealing } from '#core/secrets/sealing.ts';
import { createCookie } from '#api/auth/cookie.ts';

const purpose = 'OIDC sign-in';
const livesSeconds = 600;

const flowSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** The provider to which the browser was sent: the answer of another one does not count. */
  issuer: z.string(),
  /** Whose provider it is; null: the installation's. */
  organizationId: z.guid().nullable(),
  /** Path of the console to which the sign-in leads. */
  next: z.string(),
  /** Milliseconds. */
  expiresAt: z.number(),
});

/** What a browser keeps between the two halves of a sign-in. */
type KeptFlow = Omit<z.output<typeof flowSchema>, 'expiresAt'>;

/** The sealed cookie of a sign-in that is under way: the answer of a provider counts in the browser that asked. */
export function createFlowCookie(baseUrl: string, sealing: Sealing) {
  const cookie = createCookie(baseUrl, 'waymark-oidc', { livesSeconds, pattern: /^/ });
  return {
    set(flow: KeptFlow, now: Date): string {
      const kept = JSON.stringify({ ...flow, expiresAt: now.getTime() + livesSeconds * 1_000 });
      return cookie.set(sealing.seal(purpose, kept).toString('base64url'));
    },
    /** @returns undefined where there is none, or an old one. */
    read(header: string | undefined, now: Date): KeptFlow | undefined {
      const value = cookie.read(header);
      if (value === undefined) return undefined;
      try {
        const opened: unknown = JSON.parse(sealing.open(purpose, Buffer.from(value, 'base64url')).toString());
        const { expiresAt, ...flow } = flowSchema.parse(opened);
        return expiresAt > now.getTime() ? flow : undefined;
      } catch {
        // Cut, changed, or sealed by a key that is no longer there.
        return undefined;
      }
    },
    clear: cookie.clear,
  };
}
