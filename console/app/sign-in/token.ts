const kept = 'waymark.token';

/**
 * The token of a link in a mail, from the fragment of the address, which no server sees. It is taken out of the address, since the
 * history of the browser would keep it, and is kept for a reload of this tab. Undefined: there is none.
 */
export function takeToken(): string | undefined {
  const place = `${kept} ${location.pathname}`;
  const token = readToken(location.hash) ?? sessionStorage.getItem(place) ?? undefined;
  if (token === undefined) return undefined;
  sessionStorage.setItem(place, token);
  history.replaceState(history.state, '', location.pathname);
  return token;
}

/** Forgets the token of this page: it has been used. */
export function forgetToken(): void {
  sessionStorage.removeItem(`${kept} ${location.pathname}`);
}

/** The token in the fragment of an address; undefined: there is none. */
export function readToken(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? undefined;
}
