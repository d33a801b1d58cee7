import { sessionDays } from '#db/organizations/sessions.ts';

/** The session cookie; its value is a random token. */
interface SessionCookie {
  name: string;
  /** The token in a `Cookie` header; undefined where none is well-formed. */
  read(header: string | undefined): string | undefined;
  /** The `Set-Cookie` header that sets the token. */
  set(token: string): string;
  /** The `Set-Cookie` header that removes the cookie. */
  clear(): string;
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;
const maxAgeSeconds = sessionDays * 24 * 60 * 60;

/**
 * On https the name has the prefix `__Host-`: browsers then refuse the cookie from other hosts, other paths and plain
 * http (2.8).
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
