export const oauthRecordPurpose = 'OAuth record';

/** The one right that an app gets: to use the tools of MCP as its person. */
export const mcpScope = 'mcp';

/** The resource that tokens are for (RFC 8707). */
export const mcpResource = (baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}/mcp`;

// So that a forgotten app does not stay for ever: as a session that is used every day.
export const appDays = 90;
export const mostApps = 50;

/**
 * The host to which a redirect leads, of a program its scheme; undefined: nothing may be sent there, as a network could read it.
 */
export function redirectHostOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url === null) return undefined;
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return url.host;
  return url.protocol === 'http:' ? undefined : url.protocol.slice(0, -1);
}
