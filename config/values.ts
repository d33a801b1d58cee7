import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Zod types of environment variables: numbers, lists and addresses from text. */

/** A whole number. */
export const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
/** A TCP port. */
export const port = (fallback: number) => whole(1, 65_535).default(fallback);
/** A count, at least 1. */
export const rate = (fallback: number) => whole(1, 1_000_000_000).default(fallback);
/** Milliseconds, at most a day; 0 where no limit is allowed. */
export const milliseconds = (fallback: number) => whole(0, 86_400_000).default(fallback);
/** A switch: true, 1 or on; false, 0 or off. */
export const onOff = z.stringbool({ truthy: ['true', '1', 'on'], falsy: ['false', '0', 'off'] });
export const flag = (fallback: boolean) => onOff.default(fallback);
/** A text that is not empty. */
export const filled = z.string().min(1);
/** A name of a task queue to which a kind of work is appended. Temporal takes 1,000 characters, and keeps names of this beginning. */
export const taskQueue = filled.max(900).refine((name) => !name.startsWith('/_sys/'), 'must not begin with /_sys/');
/** Intervals: 1 to 20 numbers of seconds, decimals allowed, comma-separated. */
export const secondsList = (fallback: string) =>
  z
    .string()
    .regex(
      /^\s*\d{1,9}(\.\d{1,6})?(\s*,\s*\d{1,9}(\.\d{1,6})?){0,19}\s*$/,
      'must be 1 to 20 numbers of seconds, comma-separated',
    )
    .default(fallback)
    .transform((text) => text.split(',').map(Number));
/** Items, comma-separated. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
/** Items that each pass a check, comma-separated. */
const listOf = (isRight: (item: string) => boolean, message: string) =>
  list.refine((items) => items.every(isRight), { message });
/** Names of a list, each once at most, comma-separated. Default: all. */
export const oneOfEach = <const Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .default(names.join(','))
    .pipe(list)
    .refine((items) => items.length > 0 && items.every((item) => (names as readonly string[]).includes(item)), {
      message: `must be names of ${names.join(', ')}, comma-separated`,
    })
    .transform((items) => [...new Set(items as Name[])]);
// A name whose last label is a number reads like an invalid address.
const hostName = /^(?!-)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?$/;
/** An address or name of this machine. */
export const host = z
  .string()
  .refine((text) => isIP(text) !== 0 || (hostName.test(text) && !/(?:^|\.)\d+\.?$/.test(text)), {
    message: 'must be an address or a host name',
  });
const postgresScheme = /^postgres(ql)?:\/\//;
// The driver checks certificates under any other name.
const sslModes = new Set(['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']);
/** A PostgreSQL URL. */
export const databaseUrl = z
  .string()
  .regex(postgresScheme, 'must begin with postgres://')
  .refine(
    (text) => !postgresScheme.test(text) || isReadable(text),
    'must be a URL like postgres://user:password@host:5432/database, with %-codes for / ? # @ : in a password',
  )
  .refine((text) => sslModes.has(URL.parse(text)?.searchParams.get('sslmode') ?? 'disable'), {
    message: `must have an sslmode of ${[...sslModes].join(', ')}`,
  });
/** A sender: an address, or a name and an address. */
export const sender = z
  .string()
  .regex(
    /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'must be like hello@example.com or Example <hello@example.com>',
  );
const smtpScheme = /^smtps?:\/\//;
/** URL of a mail server. */
export const smtpUrl = z
  .string()
  .regex(smtpScheme, 'must begin with smtp:// or smtps://')
  .refine((text) => !smtpScheme.test(text) || (URL.parse(text)?.hostname ?? '') !== '', 'must be a URL with a host');
/** A web URL. */
export const httpUrl = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
  message: 'must be an http or https URL',
});
/** URL of a ClickHouse, with `?cluster=name` where its tables are on a cluster. */
export const clickHouseUrl = httpUrl
  .refine(hasNothingButCluster, {
    message: 'may have ?cluster=, a name of letters, digits, - and _, and no other query',
  })
  .refine((text) => !URL.canParse(text) || isReadable(text), 'must have %-codes for % / ? # @ : in a password');
/** A web URL to which paths are appended. */
export const baseUrl = httpUrl.refine(isBase, { message: 'must be without user, query and fragment' });
/** Scheme, host and port of a web server, as `https://go.example.com` or `http://localhost:3001`. */
export const edgeUrl = z.string().refine(isOrigin, {
  message:
    'must be http or https, a host name and, where it is not the default one, a port, like https://go.example.com',
});
/** host:port. */
export const hostPort = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/, 'must be host:port')
  .refine(hasPort, 'must have a port from 1 to 65535');
/** Addresses or CIDR ranges, comma-separated. */
export const cidrList = listOf(isRange, 'must be addresses or CIDR ranges, comma-separated');
/** Name servers, address with or without a port, comma-separated. */
export const dnsServerList = listOf(
  isDnsServer,
  'must be addresses with or without a port, like 127.0.0.1:53 or [::1]:53, comma-separated',
);
/** Origins of web pages, comma-separated. */
export const originList = listOf(
  (item) => URL.parse(item)?.origin === item,
  'must be origins like https://app.example.com, comma-separated',
);
// Characters of a URI (RFC 3986, appendix A), without the comma that separates list items.
const contact = /^(?:mailto:[^@]+@[^@]+|https:\/\/[^/]+.*|tel:\+?[\d().-]+)$/;
const uriCharacters = /^[\w.~:/?#[\]@!$&'()*+;=%-]+$/;
const isContact = (item: string): boolean => uriCharacters.test(item) && contact.test(item);
/** A contact: a mailto, tel or web URI. */
export const contactUri = z.string().refine(isContact, {
  message: 'must be a URI that begins with mailto:, https:// or tel:',
});
/** Contacts: mailto, tel or web URIs, comma-separated. */
export const contactList = list.refine((items) => items.length > 0 && items.every(isContact), {
  message: 'must be URIs that begin with mailto:, https:// or tel:, comma-separated',
});
export const ipAddress = z.string().refine((text) => isIP(text) !== 0, { message: 'must be an address' });
/** IP addresses, comma-separated. */
export const addressList = listOf((item) => isIP(item) !== 0, 'must be addresses, comma-separated');

// Request headers with another meaning.
const reservedHeaders = new Set([
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'content-type',
  'content-length',
  'user-agent',
  'host',
  'connection',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'trailer',
  'te',
]);
/** The name of a custom header. */
export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be a header name')
  .refine((name) => !reservedHeaders.has(name.toLowerCase()), { message: 'is the name of a header that is in use' });

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  const hasHostName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(url?.hostname ?? '');
  return hasHostName && /^https?:$/.test(url?.protocol ?? '') && `${url?.origin}/` === url?.href;
}

/** Whether a text has a valid port after a colon, or none. */
export function hasPort(text: string): boolean {
  const port = /:(\d+)$/.exec(text)?.[1];
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}

/** Refuses URLs that a database driver would reject without naming the variable. */
function isReadable(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  try {
    return [url.username, url.password, url.pathname].every((part) => decodeURIComponent(part) !== undefined);
  } catch {
    return false;
  }
}

function isBase(text: string): boolean {
  const url = URL.parse(text);
  return url === null || (url.username + url.password === '' && !/[?#]/.test(text));
}

/** ipaddr.js alone accepts short forms such as `1` or `127.1`. */
function isRange(text: string): boolean {
  const [address = ''] = text.split('/');
  return isIP(address) !== 0 && (text === address || ipaddr.isValidCIDR(text));
}

function isDnsServer(text: string): boolean {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = bracketed === undefined ? isIP(plain ?? '') === 4 : isIP(bracketed) === 6;
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

function hasNothingButCluster(text: string): boolean {
  if (!URL.canParse(text)) return true;
  return [...new URL(text).searchParams].every(([name, value]) => name === 'cluster' && /^\w[\w-]*$/.test(value));
}
