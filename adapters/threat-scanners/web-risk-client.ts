import { protos, WebRiskServiceClient } from '@google-cloud/web-risk';
import type { HashPrefixDiff, HashPrefixes } from '#core/threats/hash-prefix-list.ts';
import { decodeRice } from '#core/threats/rice.ts';
import { ThreatDiffError } from '#core/threats/threat-diff-error.ts';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import { parseRetryAfter } from '#core/webhooks/retries.ts';
import { ScanError } from './threat-scanner.ts';

export interface WebRiskClientOptions {
  /** Absent for an endpoint that needs no key. */
  apiKey?: string;
  /** http or https URL of another endpoint; its path is ignored. */
  endpoint?: string;
  lookupTimeoutMs?: number;
  diffTimeoutMs?: number;
  /** Bound of an answer with changes of a list, in bytes. */
  maxDiffBytes?: number;
}

/** Threats of a URL, or of a full hash. `expiresAtMs`: Unix time; 0: Web Risk named none. */
interface FoundThreats {
  threatTypes: ThreatType[];
  expiresAtMs: number;
}

/** The dangerous full hashes (hexadecimal) that begin with a prefix; others with it are clean until `cleanUntilMs`. */
export interface FoundHashes {
  threats: Map<string, FoundThreats>;
  cleanUntilMs: number;
}

/** A change of a threat list, and its checksum afterwards. `nextDiffAt`: before it, there is little to ask for. */
interface ThreatListDiff extends HashPrefixDiff {
  versionToken: Buffer;
  /** SHA-256 of the sorted list. */
  checksum: Buffer;
  nextDiffAt: Date | undefined;
}

export type WebRiskClient = ReturnType<typeof createWebRiskClient>;

const { ThreatType: typeNumbers, CompressionType } = protos.google.cloud.webrisk.v1;
const allTypes = threatTypes.map((type) => typeNumbers[type]);

// The whole of a list with the most bytes that `HashPrefixList` takes, in Base64, fits.
const defaultMaxDiffBytes = 96 * 1_048_576;
// A prefix has a handful of full hashes.
const maxSearchBytes = 1_048_576;

// gRPC codes, to which the client maps HTTP statuses.
const invalidArgument = 3;
const resourceExhausted = 8;

/**
 * Asks Google Web Risk in the library's REST mode, which a fake server can answer in tests. All methods throw ScanError without an
 * answer.
 */
export function createWebRiskClient({
  apiKey,
  endpoint,
  lookupTimeoutMs = 5_000,
  diffTimeoutMs = 60_000,
  maxDiffBytes = defaultMaxDiffBytes,
}: WebRiskClientOptions) {
  const transport = createTransport(apiKey, maxDiffBytes);
  const client = new WebRiskServiceClient({
    ...address(endpoint),
    fallback: true,
    authClient: transport.client as never,
  });
  // Workflows retry; the library's retries would hide an outage for ten minutes.
  const options = (timeout: number, signal: AbortSignal | undefined) => ({ timeout, retry: null, signal });
  const answer = async <T>(call: Promise<[T, ...unknown[]]>): Promise<T> => {
    try {
      return (await call)[0];
    } catch (error) {
      throw toScanError(error, transport.quietForMs());
    }
  };

  return {
    name: endpoint === undefined ? 'Google Web Risk' : `Web Risk at ${new URL(endpoint).host}`,
    async searchUris(uri: string, signal?: AbortSignal): Promise<FoundThreats> {
      const { threat } = await answer(
        client.searchUris({ uri, threatTypes: allTypes }, options(lookupTimeoutMs, signal)),
      );
      return toThreats(threat?.threatTypes, threat?.expireTime);
    },
    async searchHashes(hashPrefix: Buffer, signal?: AbortSignal): Promise<FoundHashes> {
      const { threats, negativeExpireTime } = await answer(
        client.searchHashes({ hashPrefix, threatTypes: allTypes }, options(lookupTimeoutMs, signal)),
      );
      return {
        threats: new Map(
          (threats ?? []).map((found) => [
            toBuffer(found.hash).toString('hex'),
            toThreats(found.threatTypes, found.expireTime),
          ]),
        ),
        cleanUntilMs: toMs(negativeExpireTime),
      };
    },
    /**
     * Asks for changes of a list. An empty token: for the whole list.
     * @throws ThreatDiffError where they are malformed.
     */
    async computeDiff(threatType: ThreatType, versionToken: Buffer, signal?: AbortSignal): Promise<ThreatListDiff> {
      const diff = await answer(
        client.computeThreatListDiff(
          {
            threatType: typeNumbers[threatType],
            versionToken,
            // Without limits of entries: they would leave out threats.
            constraints: { supportedCompressions: [CompressionType.RAW, CompressionType.RICE] },
          },
          options(diffTimeoutMs, signal),
        ),
      );
      return toDiff(diff);
    },
    close: (): Promise<void> => client.close(),
  };
}

function address(endpoint: string | undefined): { apiEndpoint?: string; port?: number; protocol?: string } {
  if (endpoint === undefined) return {};
  const { protocol, hostname, port } = new URL(endpoint);
  const plain = protocol === 'http:';
  return { apiEndpoint: hostname, port: Number(port) || (plain ? 80 : 443), protocol: plain ? 'http' : 'https' };
}

/**
 * The library's HTTP transport. Its own credentials need a Google account in every mode except API key, hide `Retry-After`, which
 * this transport records, and read answers of any size.
 */
function createTransport(apiKey: string | undefined, maxDiffBytes: number) {
  let quietUntilMs = 0;
  return {
    quietForMs: () => Math.max(0, quietUntilMs - Date.now()),
    client: {
      universeDomain: 'googleapis.com',
      getRequestHeaders: async () => new Headers(),
      fetch: async (url: string, init: RequestInit) => {
        const headers = new Headers(init.headers);
        if (apiKey !== undefined) headers.set('x-goog-api-key', apiKey);
        const { method, signal } = init;
        const response = await fetch(webSafe(url), { method, headers, signal, redirect: 'error' });
        const nowMs = Date.now();
        const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', nowMs) ?? 0;
        quietUntilMs = response.ok ? 0 : Math.max(quietUntilMs, nowMs + retryAfterMs);
        return bounded(response, url.includes(':computeDiff?') ? maxDiffBytes : maxSearchBytes);
      },
    },
  };
}

/** Web Risk takes bytes in URLs in the web-safe alphabet of Base64; the library writes the other one. */
function webSafe(url: string): string {
  return url.replace(/(?<=[?&](?:hashPrefix|versionToken)=)[^&]*/, (value) =>
    value.replaceAll('%2B', '-').replaceAll('/', '_'),
  );
}

async function bounded(response: Response, maxBytes: number): Promise<Response> {
  if (response.body === null) return response;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(Buffer.concat(chunks), { status, headers });
}

function toThreats(found: readonly unknown[] | null | undefined, expireTime: Moment): FoundThreats {
  return {
    // Enumerations are answered as names.
    threatTypes: threatTypes.filter((type) => found?.includes(type) === true),
    expiresAtMs: toMs(expireTime),
  };
}

type Moment = { seconds?: unknown } | null | undefined;
const toMs = (moment: Moment): number => Number(moment?.seconds ?? 0) * 1_000;

const toBuffer = (bytes: Uint8Array | string | null | undefined): Buffer =>
  typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : Buffer.from(bytes ?? []);

function toDiff(diff: protos.google.cloud.webrisk.v1.IComputeThreatListDiffResponse): ThreatListDiff {
  // Enumerations are answered as names, whatever the type says.
  const responseType = diff.responseType as unknown;
  if (responseType !== 'RESET' && responseType !== 'DIFF') throw new ThreatDiffError('a change is of no known kind');
  const { additions, removals } = diff;
  const nextMs = toMs(diff.recommendedNextDiff);
  return {
    isReset: responseType === 'RESET',
    removals: Uint32Array.from([
      ...(removals?.rawIndices?.indices ?? []).map(place),
      ...(removals?.riceIndices ? toNumbers(removals.riceIndices) : []),
    ]),
    additions: [
      ...(additions?.rawHashes ?? []).map(({ prefixSize, rawHashes }) => ({
        size: prefixSize ?? 0,
        bytes: toBuffer(rawHashes),
      })),
      ...(additions?.riceHashes ? [toPrefixes(toNumbers(additions.riceHashes))] : []),
    ],
    versionToken: toBuffer(diff.newVersionToken),
    checksum: toBuffer(diff.checksum?.sha256),
    nextDiffAt: nextMs === 0 ? undefined : new Date(nextMs),
  };
}

function place(index: number): number {
  if (!Number.isInteger(index) || index < 0) throw new ThreatDiffError('a removal names no place of the list');
  return index;
}

function toNumbers(rice: protos.google.cloud.webrisk.v1.IRiceDeltaEncoding): Uint32Array {
  return decodeRice({
    firstValue: Number(rice.firstValue ?? 0),
    riceParameter: rice.riceParameter ?? 0,
    entryCount: rice.entryCount ?? 0,
    encodedData: toBuffer(rice.encodedData),
  });
}

/** Four-byte prefixes are compressed as little-endian numbers. */
function toPrefixes(numbers: Uint32Array): HashPrefixes {
  const bytes = Buffer.allocUnsafe(numbers.length * 4);
  for (let index = 0; index < numbers.length; index += 1) bytes.writeUInt32LE(numbers[index]!, index * 4);
  return { size: 4, bytes };
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
  if (code === invalidArgument) return new ScanError('refused', `Web Risk refuses the request (${status})`);
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
