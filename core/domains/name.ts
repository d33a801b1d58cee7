import * as z from 'zod';
import { text } from '#core/lib/schemas.ts';
import { decodePunycode, toAsciiHost } from './idna.ts';

// Beyond these a URL's host would end, or be something else; `%` would hide them.
const foreign = /[\p{Cc}\p{Z}/?#@:%\\[\]]/u;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const maxLength = 253;

/** A host name as domains are stored: lower-case punycode without a trailing dot. `problem` says why it is none. */
type DomainName = { domain: string; problem?: undefined } | { domain?: undefined; problem: string };

/** Reads a host name in any case and script (7.1): at least two labels, no scheme, port or path, no address. */
export function readDomainName(input: string): DomainName {
  const trimmed = input.trim();
  if (foreign.test(trimmed)) return { problem: 'must be a host name alone, without scheme, port or path' };
  const domain = toAsciiHost(trimmed).replace(/\.$/, '');
  const labels = domain.split('.');
  if (domain === '' || domain.length > maxLength || !labels.every(isLabel)) return { problem: 'must be a host name' };
  // A last label of digits is read as part of an address everywhere.
  if (/^\d+$/.test(labels.at(-1)!)) return { problem: 'must be a host name, not an address' };
  if (labels.length < 2) return { problem: 'must have at least two labels, like go.example.com' };
  return { domain };
}

/** The host that a text names in any case and script, as domains are stored; empty where it names none. */
export function readHostName(input: string): string {
  const trimmed = input.trim();
  return foreign.test(trimmed) ? '' : toAsciiHost(trimmed).replace(/\.$/, '');
}

function isLabel(part: string): boolean {
  if (!label.test(part)) return false;
  if (!part.startsWith('xn--')) return true;
  // Not every parser of URLs refuses punycode that cannot be decoded, or that another label has.
  const decoded = decodePunycode(part.slice('xn--'.length));
  return decoded !== undefined && toAsciiHost(decoded) === part;
}

/** A domain name as clients send it, brought into the form in which it is stored. */
export const domainNameSchema = text({ min: 1, max: 255 })
  .transform((input, context) => {
    const { domain, problem } = readDomainName(input);
    if (problem === undefined) return domain;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  })
  .meta({ description: 'A host name; it is stored in lower-case punycode.', example: 'go.example.com' });

/** Search texts for stored names: the typed text itself, and the form in which names are stored. */
export function searchTerms(search: string): string[] {
  const term = search.trim().toLowerCase();
  return term === '' ? [] : [...new Set([term, toAsciiHost(term)])].filter((text) => text !== '');
}
