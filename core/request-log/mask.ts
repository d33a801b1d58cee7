import { decodePercent } from '#core/lib/text/decode-percent.ts';
import { type Action, actions } from '#core/organizations/permissions.ts';

/** What stands in the request log in place of a secret. */
export const masked = '***';

// Names under which clients send secrets to routes that take none, without what is no letter or digit.
const suspicious =
  /pass(?:word|wd|code|phrase)|pwd|secret|token|credential|cookie|authorization|bearer|(?:api|access|private)key|^(?:auth|pin|otp)\d*$|headers?$/i;
// A number under such a name is a secret, and one under a longer name tells about it, as `passwordLength` does.
const exact = /^(?:password|passwd|passcode|passphrase|pwd|secret|token|pin|otp)$/i;
// API keys and secrets of webhooks are told by their form wherever they stand, and what an address has before its host.
const known = /wm_live_[0-9A-Za-z]{6,}|whsec_[\w+/=-]{6,}|(?<=:\/\/)[^\s/?#@"]+(?=@)/g;

// Names and values of queries and fragments of addresses.
const inQueries = /(?<=[?&;#])([\w.%+[\]-]{1,100})=[^&;\s"#\\]+/g;

/** Masks secrets of calls. */
export interface Mask {
  /** The JSON of a body, secrets masked, of which some `most` characters are written; `isWhole`: all of it. */
  json(value: unknown, most: number): { text: string; isWhole: boolean };
  /** A query, as it was written. */
  maskQuery(text: string): string;
}

/** @param secretNames of fields that hold a secret, by their schemas. */
export function createMask(secretNames: ReadonlySet<string>): Mask {
  const isSecret = (name: string): boolean => secretNames.has(name) || suspicious.test(bareOf(name));
  const isNumberSecret = (name: string): boolean => secretNames.has(name) || exact.test(bareOf(name));
  return {
    json(value, most) {
      let written = 0;
      const text = JSON.stringify(value, (name, one: unknown) => {
        // What lies beyond is not read: a body may have megabytes.
        if (written > most) return undefined;
        written += name.length + (typeof one === 'string' ? one.length : 4);
        if (typeof one === 'number') return isNumberSecret(name) ? masked : one;
        // Permissions have a resource `apiKeys`.
        if (Array.isArray(one) && one.every((item) => actions.includes(item as Action))) return one;
        // Flags that are named after a secret tell about it.
        return (typeof one === 'string' || isFilled(one)) && isSecret(name) ? masked : one;
      });
      return { text: maskKnown(text), isWhole: written <= most };
    },
    maskQuery: (text) =>
      // Some servers take a semicolon for an ampersand.
      text.replaceAll(/[^&;]+/g, (part) => {
        const end = part.indexOf('=');
        const name = end > 0 ? part.slice(0, end) : '';
        return name !== '' && isSecret(decode(name)) ? `${name}=${masked}` : maskWritten(part);
      }),
  };
}

/** Masks the secrets of a text that are told by their form, and those in queries and fragments of addresses that it holds. */
export const maskKnown = (text: string): string =>
  text
    .replace(known, masked)
    .replace(inQueries, (part, name: string) => (suspicious.test(bareOf(decode(name))) ? `${name}=${masked}` : part));

/** Masks the same secrets in a part of an address, which may be percent-encoded. */
export function maskWritten(text: string): string {
  const plain = decode(text);
  return maskKnown(plain) === plain ? text : maskKnown(plain);
}

const isFilled = (value: unknown): boolean => typeof value === 'object' && value !== null;

const bareOf = (name: string): string => name.replaceAll(/[^0-9a-z]/gi, '');

const decode = (written: string): string => decodePercent(written.replaceAll('+', ' '));
