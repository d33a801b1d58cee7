import { hash } from 'node:crypto';
import { type CanonicalUrl, canonicalUrl } from './canonical-url.ts';

// Limits of https://cloud.google.com/web-risk/docs/urls-hashing: up to 5 hosts, each with up to 6 paths.
const maxLabels = 5;
const maxFolders = 4;

/**
 * Lists the expressions whose hashes Web Risk's lists may hold for a URL: its host and the domains above it, each with the path
 * with and without query, and with the folders above the path. At most 30, each once.
 */
export function urlExpressions({ host, path, query, isAddress }: CanonicalUrl): string[] {
  const hosts = new Set([host]);
  const labels = host.split('.');
  if (!isAddress) {
    // The top-level domain alone is left out.
    for (let from = Math.max(0, labels.length - maxLabels); from <= labels.length - 2; from += 1)
      hosts.add(labels.slice(from).join('.'));
  }
  const paths = new Set(query === undefined ? [path] : [`${path}?${query}`, path]);
  let end = 0;
  for (let folders = 0; folders < maxFolders && end !== -1; folders += 1) {
    paths.add(path.slice(0, end + 1));
    end = path.indexOf('/', end + 1);
  }
  return [...hosts].flatMap((each) => [...paths].map((its) => each + its));
}

/** SHA-256 of each expression of a URL; undefined: the URL has no host. */
export function urlHashes(url: string): Buffer[] | undefined {
  const canonical = canonicalUrl(url);
  return canonical && urlExpressions(canonical).map((expression) => hash('sha256', expression, 'buffer'));
}
