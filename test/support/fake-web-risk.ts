import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';

/** How the fake answers one lookup. `hang`: never. Else an error of this HTTP status, with `google.rpc.RetryInfo` and `Retry-After` where given. */
export type FakeFault =
  | 'hang'
  | {
      status: number;
      retryInfoSeconds?: number;
      retryAfterSeconds?: number;
      /** Reason of a `google.rpc.ErrorInfo`. */
      errorReason?: string;
    };

/** A request that the fake received. */
export interface FakeLookup {
  uri: string;
  threatTypes: string[];
  key: string | undefined;
}

/** A Web Risk on a free port of 127.0.0.1. Undeclared URLs are clean. */
export interface FakeWebRisk extends AsyncDisposable {
  url: string;
  lookups: FakeLookup[];
  /** Declares a URL dangerous. `expireTime` defaults to an hour from now. */
  flag(uri: string, types: ThreatType[], expireTime?: Date): void;
  /** Decides about a fault for each lookup; undefined gives the true answer. Replaces the previous rule. */
  fault(rule: (uri: string, count: number) => FakeFault | undefined): void;
  /** Resolves once `count` lookups have come in. */
  received(count: number): Promise<void>;
}

const statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Starts the fake. */
export async function createFakeWebRisk(): Promise<FakeWebRisk> {
  const flagged = new Map<string, { threatTypes: ThreatType[]; expireTime: string }>();
  const lookups: FakeLookup[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let rule: (uri: string, count: number) => FakeFault | undefined = () => undefined;

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (url.pathname !== '/v1/uris:search') return void response.writeHead(404).end();
    const uri = url.searchParams.get('uri') ?? '';
    const key = request.headers['x-goog-api-key'] ?? url.searchParams.get('key') ?? undefined;
    // Enumerations travel as names or as numbers.
    const types = url.searchParams
      .getAll('threatTypes')
      .map((type) => (/^\d+$/.test(type) ? threatTypes[Number(type) - 1] : type) ?? type);
    lookups.push({ uri, threatTypes: types, key: Array.isArray(key) ? key[0] : key });
    for (const wish of waiting) if (lookups.length >= wish.count) wish.resolve();
    const fault = rule(uri, lookups.length);
    if (fault === 'hang') return;
    if (fault !== undefined) return answerFault(response, fault);
    const threat = flagged.get(uri);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(threat === undefined ? {} : { threat }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    lookups,
    flag: (uri, types, expireTime = new Date(Date.now() + 3_600_000)) =>
      void flagged.set(uri, { threatTypes: types, expireTime: expireTime.toISOString() }),
    fault: (next) => void (rule = next),
    received: (count) =>
      new Promise((resolve) => (lookups.length >= count ? resolve() : void waiting.push({ count, resolve }))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerFault(response: ServerResponse, fault: Exclude<FakeFault, 'hang'>): void {
  const { status, retryInfoSeconds, retryAfterSeconds, errorReason } = fault;
  const details: object[] = [];
  if (retryInfoSeconds !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryInfoSeconds}s` });
  }
  if (errorReason !== undefined) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: errorReason,
      domain: 'googleapis.com',
    });
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(JSON.stringify({ error: { code: status, message: 'no', status: statuses[status], details } }));
}
