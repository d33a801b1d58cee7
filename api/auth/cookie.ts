import { deviceDays } from '#db/accounts/devices.ts';
import { sessionDays } from '#db/accounts/sessions.ts';

const daySeconds = 86_400;
const token = /^[A-Za-z0-9_-]{43}$/;

export const createSessionCookie = (baseUrl: string) =>
  createCookie(baseUrl, 'waymark', { livesSeconds: sessionDays * daySeconds, pattern: token });

/** The cookie by which a browser is known to the accounts that have signed in there; it opens nothing. */
export const createDeviceCookie = (baseUrl: string) =>
  createCookie(baseUrl, 'waymark-device', { livesSeconds: deviceDays * daySeconds, pattern: token });

/**
 * A cookie of the whole site. On https its name has the prefix `__Host-`: browsers then refuse the cookie from other hosts, other
 * paths and plain http.
 */
export function createCookie(
  baseUrl: string,
  bareName: string,
  { livesSeconds, pattern }: { livesSeconds: number; pattern: RegExp },
) {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = isSecure ? `__Host-${bareName}` : bareName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    /** The value in a `Cookie` header; undefined where none is well-formed. */
    read(header = ''): string | undefined {
      const pairs = header.split(';').map((pair) => pair.trim());
      const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
      return value !== undefined && pattern.test(value) ? value : undefined;
    },
    /** The `Set-Cookie` header that sets the value. */
    set: (value: string) => `${name}=${value}; ${attributes}; Max-Age=${livesSeconds}`,
    /** The `Set-Cookie` header that removes the cookie. */
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}
