import { createGuardedHttp, type GuardedHttp, type GuardedHttpOptions } from '#adapters/http/guarded-http.ts';
import type { Config } from '#config/load.ts';

type Settings = Pick<Config, 'DNS_SERVERS' | 'OIDC_ALLOWED_CIDRS' | 'WEBHOOK_ALLOWED_CIDRS' | 'WEBHOOK_CA_FILE'>;

/** Every client that calls addresses which others give, with its own allowance of private ones: it opens nothing to another. */
const clients = {
  /** Receivers of webhooks, which customers name. */
  webhooks: ({ WEBHOOK_ALLOWED_CIDRS: allowedCidrs }) => ({ allowedCidrs }),
  /** Identity providers of organizations, which their owners name. */
  organizationOidc: ({ OIDC_ALLOWED_CIDRS: allowedCidrs }) => ({ allowedCidrs }),
  /** Metadata documents of MCP clients, which anybody names. */
  clientDocuments: () => ({ maxBodyBytes: 16 * 1024 }),
  /** Pages for link previews: their answers are shown to the customer, so they may never be private. */
  previews: () => ({ allowHttp: true, maxBodyBytes: 512 * 1024 }),
  /** Pages that are asked whether they may be framed. Their headers tell. */
  frames: () => ({ allowHttp: true, maxBodyBytes: 1_024 }),
  /** The operator's own: OIDC_ISSUER, and BREACHED_PASSWORDS_URL, which may be at an internal address. */
  operator: () => ({ allowedCidrs: ['0.0.0.0/0', '::/0'], allowHttp: true, maxBodyBytes: 256 * 1024 }),
} as const satisfies Record<string, (settings: Settings) => GuardedHttpOptions>;

export function createGuardedClient(name: keyof typeof clients, settings: Settings): GuardedHttp {
  const { DNS_SERVERS: dnsServers, WEBHOOK_CA_FILE: caFile } = settings;
  return createGuardedHttp({ dnsServers, caFile, ...clients[name](settings) });
}
