import { deviceDays } from '#db/accounts/devices.ts';
import { sessionDays } from '#db/accounts/sessions.ts';

/** A cookie whose value is a random token. */
interface TokenCookie {
  name: string;
  /** The token in a `Cookie` header; undefined where none is well-formed. */
  read(header: string | undefined): string | undefined;
  /** The `Set-Cookie` header that sets the token. */
  set(token: string): string;
  /** The `Set-Cookie` header that removes the cookie. */
  clear(): string;
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * The cookie of a session. On https the name has the prefix `__Host-`: browsers then refuse the cookie from other hosts, other
 * paths and plain http.
 */
export const createSessionCookie = (baseUrl: string): TokenCookie => createTokenCookie(baseUrl, 'waymark', sessionDays);

/** The cookie by which a browser is known to the accounts that have signed in there; it opens nothing. */
export const createDeviceCookie = (baseUrl: string): TokenCookie =>
  createTokenCookie(baseUrl, 'waymark-device', deviceDays);

function createTokenCookie(baseUrl: string, bareName: string, days: number): TokenCookie {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = isSecure ? `__Host-${bareName}` : bareName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read(header = '') {
      const pairs = header.split(';').map((pair) => pair.trim());
      const token = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
      return token !== undefined && tokenPattern.test(token) ? token : undefined;
    },
    set: (token) => `${name}=${token}; ${attributes}; Max-Age=${days * 86_400}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
