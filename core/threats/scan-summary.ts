const maxHosts = 3;
// Temporal keeps 400 bytes of a summary; three of the longest host names would not fit.
const maxHostLength = 60;

/** The host of a URL, for operators. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'unknown host';
}

/** Hosts of URLs for people to read: each once, three at most, long ones cut. Paths and queries stay here. */
export function summaryHosts(urls: readonly string[]): string[] {
  const hosts = new Set(urls.map(hostOf));
  const shown = [...hosts]
    .slice(0, maxHosts)
    .map((host) => (host.length > maxHostLength ? `${host.slice(0, maxHostLength - 1)}…` : host));
  return hosts.size > maxHosts ? [...shown, '…'] : shown;
}

/** One line that tells an operator what a scan is about, at most 400 bytes. */
export function scanSummary(count: number, hosts: readonly string[]): string {
  return `Threat scan of ${count} ${count === 1 ? 'destination' : 'destinations'}: ${hosts.join(', ')}`;
}
