import type { ThreatScanner } from './threat-scanner.ts';
import { createWebRiskClient, type WebRiskClientOptions } from './web-risk-client.ts';

interface WebRiskOptions extends WebRiskClientOptions {
  /** Validity of a clean verdict, in milliseconds: Web Risk names one for threats only. */
  cleanForMs: number;
}

// Bounds of the service's expiry: at least a minute, at most a week.
const oddAgeMs = 60_000;
const maxAgeMs = 7 * 24 * 60 * 60 * 1_000;

/** Until when an answer of Web Risk holds. @param expiresAtMs as the service says, Unix time; 0: it does not. */
export function holdsUntil(expiresAtMs: number): Date {
  const ageMs = expiresAtMs - Date.now();
  return new Date(Date.now() + (ageMs > 0 ? Math.min(maxAgeMs, ageMs) : oddAgeMs));
}

/** Looks URLs up in Google Web Risk (`uris.search`) for all four threat types. */
export function createWebRisk({ cleanForMs, ...options }: WebRiskOptions): ThreatScanner {
  const client = createWebRiskClient(options);
  return {
    name: client.name,
    async lookup(url, signal) {
      const { threatTypes, expiresAtMs } = await client.searchUris(url, signal);
      return { threatTypes, expiresAt: holdsUntil(threatTypes.length === 0 ? Date.now() + cleanForMs : expiresAtMs) };
    },
    close: () => client.close(),
  };
}
