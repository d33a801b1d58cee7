import { decodePercent } from '#core/lib/text/decode-percent.ts';
import type { Issue } from '#core/errors/errors.ts';
import { splitTags } from '#core/imports/link-columns.ts';
import type { ImportFormat } from '#core/imports/formats.ts';
import { slugKey } from '#core/links/slugs/slug.ts';

/** A short URL of another service. */
interface ShortUrl {
  /** Undefined: the text names no host. */
  host: string | undefined;
  slug: string | undefined;
}

/**
 * Divides a short URL of another service, with or without its scheme; its path is the slug. A text without a host is the slug
 * alone, such as `abc` and `/abc`.
 */
export function parseShortUrl(text: string): ShortUrl {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  // A host has a dot or a port, and a slash behind.
  const hasHost = hasScheme || /^(?:\/\/)?[^/?#]*[.:][^/?#]*\//.test(text);
  if (!hasHost) return { host: undefined, slug: toSlug(text) };
  const url = URL.parse(hasScheme ? text : `https://${text.replace(/^\/\//, '')}`);
  if (url === null) return { host: undefined, slug: undefined };
  return { host: url.hostname, slug: toSlug(url.pathname) };
}

function toSlug(path: string): string | undefined {
  const bare = path.replace(/^\//, '').replace(/\/$/, '');
  // What is no percent-encoding stays, and the schema refuses it by its field's name.
  return decodePercent(bare) || undefined;
}

/** Whether all names of a host, with or without scheme, port and a dot at the end, are of one host. Shlink writes DEFAULT for none. */
export function namesOneHost(names: readonly (string | undefined)[]): boolean {
  const hosts = names.flatMap((name) => {
    if (name === undefined || name === 'DEFAULT') return [];
    const url = URL.parse(name.includes('://') ? name : `https://${name}`);
    return (url?.hostname ?? name).replace(/\.$/, '');
  });
  return new Set(hosts).size <= 1;
}

/** Whether the path of a short URL is a slug, or ends with it behind folders of the service. */
export function endsLike(shortUrl: string, slug: string): boolean {
  const path = slugKey(parseShortUrl(shortUrl).slug ?? '');
  const wanted = slugKey(slug);
  return path === wanted || path.endsWith(`/${wanted}`);
}

/** Reads a column of short URLs, which may list some: of a list of one it is that, an empty list is none. */
export function readShortUrl(text: string | undefined, problems: Issue[]): string | undefined {
  if (text === undefined || !/^\[|[|,]/.test(text)) return text;
  const urls = splitTags(text);
  const [first, ...others] = urls ?? [text];
  if (urls === undefined)
    problems.push({ path: 'slug', message: 'the short URL of this row is a list that cannot be read' });
  if (others.length > 0)
    problems.push({
      path: 'slug',
      message: `this row names ${others.length + 1} short URLs, and a link has one: write a row for each`,
    });
  return first;
}

/** Reads a column of slugs, which may hold paths or whole short URLs at other services. */
export function readSlug(text: string | undefined, format: ImportFormat): ReturnType<typeof parseShortUrl> | undefined {
  if (text === undefined) return undefined;
  const isPath = format !== 'waymark' && /^\/|^https?:\/\//i.test(text);
  return isPath ? parseShortUrl(text) : { host: undefined, slug: text };
}
