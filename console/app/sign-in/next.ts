const origin = 'https://console.invalid';

/**
 * Where a sign-in leads: a path of the console, as the router writes it.
 * @param next from the address; anything but a path of this console leads to the links.
 */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/') || /[\\\s]/.test(next)) return '/links';
  const url = URL.canParse(next, origin) ? new URL(next, origin) : undefined;
  if (url === undefined || url.origin !== origin || url.pathname.startsWith('//') || url.pathname === '/sign-in')
    return '/links';
  return `${url.pathname}${url.search}`;
}
