/** What stands in the request log in place of a secret. */
export const masked = '***';

// Names under which clients send secrets to routes that take none.
const suspicious = /(?:password|passphrase|secret|token|api[-_]?key|authorization|cookie|credential|header)s?$/i;
// API keys and secrets of webhooks are told by their form, wherever they stand.
const known = /wm_live_[0-9A-Za-z]{6,}|whsec_[\w+/=-]{6,}/g;

/** Masks secrets of calls. */
export interface Mask {
  /** The JSON of a body, secrets masked, of which some `most` characters are written; `isWhole`: all of it. */
  json(value: unknown, most: number): { text: string; isWhole: boolean };
  /** A query, as it was written. */
  query(text: string): string;
}

/** @param secretNames of fields that hold a secret, by their schemas. */
export function createMask(secretNames: ReadonlySet<string>): Mask {
  const isSecret = (name: string): boolean => secretNames.has(name) || suspicious.test(name);
  return {
    json(value, most) {
      let written = 0;
      const text = JSON.stringify(value, (name, one: unknown) => {
        // What lies beyond is not read: a body may have megabytes.
        if (written > most) return undefined;
        written += name.length + (typeof one === 'string' ? one.length : 4);
        // Flags and numbers that are named after a secret tell about it.
        return (typeof one === 'string' || isFilled(one)) && isSecret(name) ? masked : one;
      });
      return { text: maskKnown(text), isWhole: written <= most };
    },
    query: (text) =>
      maskKnown(
        text
          .split('&')
          .map((part) => {
            const end = part.indexOf('=');
            return end > 0 && isSecret(nameOf(part.slice(0, end))) ? `${part.slice(0, end)}=${masked}` : part;
          })
          .join('&'),
      ),
  };
}

/** Masks the secrets of a text that are told by their form. */
export const maskKnown = (text: string): string => text.replace(known, masked);

const isFilled = (value: unknown): boolean => typeof value === 'object' && value !== null;

function nameOf(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
