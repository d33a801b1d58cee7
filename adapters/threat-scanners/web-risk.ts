import { protos, WebRiskServiceClient } from '@google-cloud/web-risk';
import { threatTypes } from '#core/threats/types.ts';
import { type ScanAnswer, ScanError, type ThreatScanner } from './threat-scanner.ts';

interface WebRiskOptions {
  /** Absent: requests carry no key, for an endpoint that needs none. */
  apiKey?: string;
  /** http or https URL of another endpoint; only host and port count. */
  endpoint?: string;
  lookupTimeoutMs?: number;
  /** How long a clean answer holds. */
  cleanForMs?: number;
}

// An answer may carry an odd time: one that is past holds for a minute, and none for longer than a week.
const oddAgeMs = 60_000;
const maxAgeMs = 7 * 24 * 60 * 60 * 1_000;

// Codes of gRPC, as the client maps HTTP statuses onto them.
const invalidArgument = 3;
const resourceExhausted = 8;

/**
 * Asks Google Web Risk (`uris.search`) for all four types of threat, over HTTP by the library's REST mode, so that
 * production and tests go the same way.
 */
export function createWebRisk({
  apiKey,
  endpoint,
  lookupTimeoutMs = 5_000,
  // Web Risk says how long a threat is to be remembered, but not how long its absence.
  cleanForMs = 24 * 60 * 60 * 1_000,
}: WebRiskOptions): ThreatScanner {
  const transport = createTransport(apiKey);
  const client = new WebRiskServiceClient({
    ...address(endpoint),
    fallback: true,
    authClient: transport.client as never,
  });
  return {
    name: endpoint === undefined ? 'Google Web Risk' : `Web Risk at ${new URL(endpoint).host}`,
    async lookup(url, signal) {
      try {
        const [{ threat }] = await client.searchUris(
          { uri: url, threatTypes: threatTypes.map((type) => protos.google.cloud.webrisk.v1.ThreatType[type]) },
          // Retries are the scan workflow's; the library's own would hide an outage for ten minutes.
          { timeout: lookupTimeoutMs, retry: null, signal },
        );
        return toAnswer(threat?.threatTypes ?? [], threat?.expireTime?.seconds, cleanForMs);
      } catch (error) {
        throw toScanError(error, transport.quietForMs());
      }
    },
    close: () => client.close(),
  };
}

function address(endpoint: string | undefined): { apiEndpoint?: string; port?: number; protocol?: string } {
  if (endpoint === undefined) return {};
  const { protocol, hostname, port } = new URL(endpoint);
  const plain = protocol === 'http:';
  return { apiEndpoint: hostname, port: Number(port) || (plain ? 80 : 443), protocol: plain ? 'http' : 'https' };
}

/**
 * What the library sends requests with. Its own credentials want a Google account in every mode but the API key's; and
 * they hide the `Retry-After` of an answer, which this notes.
 */
function createTransport(apiKey: string | undefined) {
  let quietUntilMs = 0;
  return {
    quietForMs: () => Math.max(0, quietUntilMs - Date.now()),
    client: {
      universeDomain: 'googleapis.com',
      getRequestHeaders: async () => new Headers(),
      fetch: async (url: string, init: RequestInit) => {
        const headers = new Headers(init.headers);
        if (apiKey !== undefined) headers.set('x-goog-api-key', apiKey);
        const response = await fetch(url, { method: init.method, headers, signal: init.signal, redirect: 'error' });
        quietUntilMs = response.ok ? 0 : Math.max(quietUntilMs, Date.now() + retryAfterMs(response.headers));
        return response;
      },
    },
  };
}

/** Reads `Retry-After`: seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(headers: Headers): number {
  const value = headers.get('retry-after');
  if (value === null) return 0;
  const waitMs = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : 0;
}

function toAnswer(found: readonly unknown[], expireSeconds: unknown, cleanForMs: number): ScanAnswer {
  const types = threatTypes.filter((type) => found.includes(type));
  const ageMs = types.length === 0 ? cleanForMs : Number(expireSeconds ?? 0) * 1_000 - Date.now();
  return { threatTypes: types, expiresAt: new Date(Date.now() + (ageMs > 0 ? Math.min(maxAgeMs, ageMs) : oddAgeMs)) };
}

/** Codes and statuses only: the service's own words may repeat the URL. */
function toScanError(error: unknown, quietForMs: number): ScanError {
  const { code, httpStatusCode, statusDetails, reason } = error as {
    code?: number;
    httpStatusCode?: number;
    statusDetails?: unknown[];
    reason?: string;
  };
  const status = httpStatusCode === undefined ? `code ${code ?? 'unknown'}` : `HTTP ${httpStatusCode}`;
  const hintMs = Math.max(quietForMs, retryInfoMs(statusDetails)) || undefined;
  if (code === resourceExhausted) return new ScanError('exhausted', `Web Risk's quota is used up (${status})`, hintMs);
  // A wrong key is answered like a wrong URL, but for this reason.
  if (reason?.startsWith('API_KEY') === true)
    return new ScanError('unavailable', `Web Risk refuses the key (${reason})`);
  if (code === invalidArgument) return new ScanError('refused', `Web Risk refuses the URL (${status})`);
  return new ScanError('unavailable', `Web Risk gave no answer (${status})`, hintMs);
}

/** Reads the delay of a `google.rpc.RetryInfo` among an error's details, in milliseconds, else 0. */
function retryInfoMs(details: unknown[] | undefined): number {
  for (const detail of Array.isArray(details) ? details : []) {
    const delay = (detail as { retryDelay?: { seconds?: unknown; nanos?: number } } | null)?.retryDelay;
    const delayMs = Number(delay?.seconds ?? 0) * 1_000 + (delay?.nanos ?? 0) / 1_000_000;
    if (delayMs > 0) return Math.ceil(delayMs);
  }
  return 0;
}
