import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page refuses to be shown in a frame of another site, by its headers: `frame-ancestors` of every
 * Content-Security-Policy, else X-Frame-Options (https://html.spec.whatwg.org/#the-x-frame-options-header).
 * @param embedder the address of the page with the frame.
 */
export function refusesFrames(headers: IncomingHttpHeaders, embedder: URL, page: URL): boolean {
  const policies = [headers['content-security-policy'] ?? []].flat().join(',').split(',');
  const ancestors = policies.flatMap((policy) => {
    // The first directive of a name counts.
    const found = policy.split(';').find((directive) => /^\s*frame-ancestors(?:\s|$)/i.test(directive));
    return found === undefined ? [] : [found.trim().split(/\s+/).slice(1)];
  });
  if (ancestors.length > 0) {
    return !ancestors.every((sources) => sources.some((source) => allows(source.toLowerCase(), embedder, page)));
  }
  const options = [headers['x-frame-options'] ?? []].flat().join(',').toLowerCase().split(',');
  return options.some((option) => {
    const value = option.trim();
    return value === 'deny' || (value === 'sameorigin' && embedder.origin !== page.origin);
  });
}

/** Whether a source expression allows an address (CSP Level 3 §6.7.2). */
function allows(source: string, embedder: URL, page: URL): boolean {
  if (source === '*') return true;
  if (source === "'self'") return embedder.origin === page.origin;
  const scheme = /^([a-z][a-z0-9+.-]*):$/.exec(source)?.[1];
  if (scheme !== undefined) return isScheme(embedder, scheme);
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^/:*]+)(?::(\d+|\*))?(?:\/.*)?$/.exec(source);
  if (match === null) return false;
  const [, wantedScheme = page.protocol.slice(0, -1), host = '', port] = match;
  if (!isScheme(embedder, wantedScheme)) return false;
  if (
    host !== '*' &&
    !(host.startsWith('*.') ? embedder.hostname.endsWith(host.slice(1)) : embedder.hostname === host)
  ) {
    return false;
  }
  return port === '*' || (port ?? '') === embedder.port || (port !== undefined && port === defaultPort(embedder));
}

/** A page by https is one by http too (CSP Level 3 §6.7.2.8). */
function isScheme({ protocol }: URL, wanted: string): boolean {
  return protocol === `${wanted}:` || (wanted === 'http' && protocol === 'https:');
}

function defaultPort({ protocol, port }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}
