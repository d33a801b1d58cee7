/** Path of the document that says whom to tell of a vulnerability (RFC 9116 §3). */
export const securityTxtPath = '/.well-known/security.txt';

/** Media type of that document (RFC 9116 §3). */
export const securityTxtType = 'text/plain; charset=utf-8';

// RFC 9116 §2.5.5 asks for less than a year.
const validDays = 180;
const dayMs = 86_400_000;

/**
 * Writes security.txt (RFC 9116). It expires 180 days after the day of `now`, so that it is the same all day and never stale.
 * @param contacts URIs, the preferred one first: `mailto:`, `https:` or `tel:`.
 */
export function securityTxt(contacts: readonly string[], now: Date): string {
  const expires = new Date(Math.floor(now.getTime() / dayMs) * dayMs + validDays * dayMs);
  return [...contacts.map((contact) => `Contact: ${contact}`), `Expires: ${expires.toISOString()}`, ''].join('\n');
}
