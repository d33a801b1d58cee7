import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { createSignedEnds } from '#core/secrets/signed-ends.ts';

/** Proof that a visitor was shown the warning of a link's threats, in the form by which they go on. */
export type WarningPass = ReturnType<typeof createWarningPass>;

// Long enough for a visitor to read the warning and to ask the sender of the link.
const lifetimeSeconds = 600;

/**
 * Signs passes with HMAC-SHA256 over link, its destinations, client and end: another page cannot bring visitors past the warning
 * by a form of its own, since its server has another address than they have.
 * @param secretKeys the first signs, all verify.
 */
export function createWarningPass(secretKeys: readonly string[]) {
  const passes = createSignedEnds(secretKeys, { purpose: 'link warning', lifetimeSeconds });
  const textOf = (link: CompiledLink, client: string) => (end: string) => {
    const urls = [link.destination, ...link.rules.map(({ destination }) => destination)].map(({ url }) => url);
    return JSON.stringify([link.id, urls, client, end]);
  };
  return {
    /** @param client the visitor's address. */
    issue: (link: CompiledLink, client: string, nowMs: number) => passes.issue(textOf(link, client), nowMs),
    /** Whether a pass is for this link as it is now and this client, and not older than ten minutes. */
    isValid: (pass: string | null, link: CompiledLink, client: string, nowMs: number) =>
      pass !== null && passes.isValid(pass, textOf(link, client), nowMs),
  };
}
