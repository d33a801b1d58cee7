/** The target of a request (RFC 9112 §3.2). */
export interface Target {
  /** As it came, percent-encoded, beginning with a slash. */
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
  /** The host of an absolute-form target, which takes precedence over the Host header (RFC 9112 §3.2.2). */
  readonly host: string | undefined;
}

/** Path of the form by which visitors report a link, on every host; its query is `link=`, and the slug as it is in a path. */
export const reportPath = '/.well-known/report';

/** Splits a request target, which is ASCII: Node's parser refuses all else. Null where it is neither a path nor an http(s) URL. */
export function parseTarget(url: string): Target | null {
  let rest = url;
  let host: string | undefined;
  if (rest.charCodeAt(0) !== 47) {
    const absolute = /^https?:\/\/([^/?#]*)/i.exec(rest);
    if (absolute === null) return null;
    host = absolute[1];
    rest = rest.slice(absolute[0].length);
    if (!rest.startsWith('/')) rest = `/${rest}`;
  }
  const hash = rest.indexOf('#');
  if (hash !== -1) rest = rest.slice(0, hash);
  const mark = rest.indexOf('?');
  return mark === -1
    ? { path: rest, query: '', host }
    : { path: rest.slice(0, mark), query: rest.slice(mark + 1), host };
}

/** The slug of the query of `reportPath`, percent-encoded; null where there is none. */
export function reportedSlug(query: string): string | null {
  return /^link=([^&]+)$/.exec(query)?.[1] ?? null;
}

/** The path and query under which a link is reported. @param path of the link, percent-encoded. */
export function reportTarget(path: string): string {
  return `${reportPath}?link=${path.replace(/^\//, '').replace(/\/$/, '')}`;
}
