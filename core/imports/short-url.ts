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
  try {
    return decodeURIComponent(bare) || undefined;
  } catch {
    // Not percent-encoding: the slug stays as it is, and the schema refuses it by its field's name.
    return bare;
  }
}
