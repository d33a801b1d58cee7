import { protos, WebRiskServiceClient } from '@google-cloud/web-risk';
import { threatTypes } from '#core/threats/types.ts';
import type { ScanAnswer } from '#core/threats/answer.ts';
import { ScanError, type ThreatScanner } from './threat-scanner.ts';

interface WebRiskOptions {
  /** Absent for an endpoint that needs no key. */
  apiKey?: string;
  /** http or https URL of another endpoint; its path is ignored. */
  endpoint?: string;
  lookupTimeoutMs?: number;
  /** Validity of a clean verdict, in milliseconds. */
  cleanForMs?: number;
}

// Bounds of the service's expiry: at least a minute, at most a week. A choice.
const oddAgeMs = 60_000;
const maxAgeMs = 7 * 24 * 60 * 60 * 1_000;

// gRPC codes, to which the client maps HTTP statuses.
const invalidArgument = 3;
const resourceExhausted = 8;

/**
 * Looks URLs up in Google Web Risk (`uris.search`) for all four threat types, in the library's REST mode, which a fake server can
 * answer in tests.
 */
export function createWebRisk({
  apiKey,
  endpoint,
  lookupTimeoutMs = 5_000,
  // Web Risk answers an expiry for threats only.
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
          // The scan workflow retries; the library's retries would hide an outage for ten minutes.
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
 * The library's HTTP transport. Its own credentials need a Google account in every mode except API key, and hide `Retry-After`, which
 * this transport records.
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

/** Parses `Retry-After`: seconds or a date (RFC 9110 §10.2.3). */
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

/** Codes and statuses only: the service's message may contain the URL. */
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
  // Distinguishes a wrong key from a wrong URL, which have the same status.
  if (reason?.startsWith('API_KEY') === true)
    return new ScanError('unavailable', `Web Risk refuses the key (${reason})`);
  if (code === invalidArgument) return new ScanError('refused', `Web Risk refuses the URL (${status})`);
  return new ScanError('unavailable', `Web Risk gave no answer (${status})`, hintMs);
}

/** The delay of an error's `google.rpc.RetryInfo` in milliseconds; 0 without one. */
function retryInfoMs(details: unknown[] | undefined): number {
  for (const detail of Array.isArray(details) ? details : []) {
    const delay = (detail as { retryDelay?: { seconds?: unknown; nanos?: number } } | null)?.retryDelay;
    const delayMs = Number(delay?.seconds ?? 0) * 1_000 + (delay?.nanos ?? 0) / 1_000_000;
    if (delayMs > 0) return Math.ceil(delayMs);
  }
  return 0;
}
