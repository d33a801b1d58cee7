/** The token in the fragment of an address, which no server sees; undefined: there is none. */
export function readToken(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? undefined;
}
