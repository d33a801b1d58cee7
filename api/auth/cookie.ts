import { sessionDays } from '#db/organizations/sessions.ts';

/** The cookie that a signed-in browser holds: a random token and nothing else. */
interface SessionCookie {
  name: string;
  /** The token in a `Cookie` header, if there is one of the right form. */
  read(header: string | undefined): string | undefined;
  /** A `Set-Cookie` header that gives the token to a browser. */
  set(token: string): string;
  /** A `Set-Cookie` header that takes it away. */
  clear(): string;
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;
const maxAgeSeconds = sessionDays * 24 * 60 * 60;

/**
 * Makes the cookie of an API at `baseUrl`. On https its name has the prefix `__Host-`, by which browsers see to it that no
 * other host, path or plain connection can set it (2.8).
 */
export function createSessionCookie(baseUrl: string): SessionCookie {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = isSecure ? '__Host-waymark' : 'waymark';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read(header = '') {
      const pairs = header.split(';').map((pair) => pair.trim());
      const token = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
      return token !== undefined && tokenPattern.test(token) ? token : undefined;
    },
    set: (token) => `${name}=${token}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
