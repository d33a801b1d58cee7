import type { Decision, Visit } from '#core/routing/decide.ts';

/** Redirects every visitor to the link's own destination: no expiry, password, cap, rule, deep link or cloak. */
export function decide({ link }: Visit): Decision {
  if (!link) return { kind: 'notFound' };
  const { location, url } = link.destination;
  return { kind: 'redirect', location, url };
}
