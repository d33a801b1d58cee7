import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ThreatType, threatTypes } from '#core/threats/types.ts';
import { createFakeThreatLists, type FakeThreatLists } from './fake-threat-lists.ts';

/** How the fake answers one request. `hang`: never. Else an error of this HTTP status, with `google.rpc.RetryInfo` and `Retry-After` where given. */
export type FakeFault =
  | 'hang'
  | {
      status: number;
      retryInfoSeconds?: number;
      retryAfterSeconds?: number;
      /** Reason of a `google.rpc.ErrorInfo`. */
      errorReason?: string;
    };

/** A lookup of a URL that the fake received. */
export interface FakeLookup {
  uri: string;
  threatTypes: string[];
  key: string | undefined;
}

/** A Web Risk on a free port of 127.0.0.1. Undeclared URLs and expressions are clean. */
export interface FakeWebRisk extends AsyncDisposable {
  url: string;
  lookups: FakeLookup[];
  /** Prefixes (hexadecimal) whose full hashes were asked for. */
  hashSearches: string[];
  /** Lists of hash prefixes. */
  lists: FakeThreatLists;
  /** Declares a URL dangerous. `expireTime` defaults to an hour from now. */
  flag(uri: string, types: ThreatType[], expireTime?: Date): void;
  /** Declares the hash of an expression, like `bad.example/`, dangerous; it is not put into a list. */
  flagExpression(expression: string, types: ThreatType[], expireTime?: Date): void;
  /** Until when a prefix has no other dangerous hashes; defaults to an hour from now. */
  cleanUntil(moment: Date): void;
  /** Decides about a fault for each lookup and search; undefined gives the true answer. Replaces the previous rule. */
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

interface FakeThreat {
  threatTypes: ThreatType[];
  expireTime: string;
}

/** Starts the fake. It speaks the methods of both modes of the product: `uris.search`, `computeDiff` and `hashes.search`. */
export async function createFakeWebRisk(): Promise<FakeWebRisk> {
  const flagged = new Map<string, FakeThreat>();
  const dangerous = new Map<string, FakeThreat>();
  const lookups: FakeLookup[] = [];
  const hashSearches: string[] = [];
  const lists = createFakeThreatLists();
  const waiting: { count: number; resolve: () => void }[] = [];
  let rule: (uri: string, count: number) => FakeFault | undefined = () => undefined;
  let cleanUntil: Date | undefined;
  const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
  const threatOf = (types: ThreatType[], expireTime = inAnHour()): FakeThreat => ({
    threatTypes: types,
    expireTime: expireTime.toISOString(),
  });

  function searchUris(url: URL, key: string | undefined, response: ServerResponse): void {
    const uri = url.searchParams.get('uri') ?? '';
    lookups.push({ uri, threatTypes: typesOf(url, 'threatTypes'), key });
    for (const wish of waiting) if (lookups.length >= wish.count) wish.resolve();
    const fault = rule(uri, lookups.length);
    if (fault !== undefined) return answerFault(response, fault);
    const threat = flagged.get(uri);
    answer(response, threat === undefined ? {} : { threat });
  }

  function searchHashes(url: URL, response: ServerResponse): void {
    const text = url.searchParams.get('hashPrefix') ?? '';
    const prefix = Buffer.from(text, 'base64url').toString('hex');
    hashSearches.push(prefix);
    const fault = isWebSafe(text) ? rule(prefix, hashSearches.length) : { status: 400 };
    if (fault !== undefined) return answerFault(response, fault);
    const threats = [...dangerous]
      .filter(([full]) => full.startsWith(prefix))
      .map(([full, threat]) => ({ ...threat, hash: Buffer.from(full, 'hex').toString('base64') }));
    answer(response, { threats, negativeExpireTime: (cleanUntil ?? inAnHour()).toISOString() });
  }

  function computeDiff(url: URL, response: ServerResponse): void {
    const [threatType = ''] = typesOf(url, 'threatType');
    const token = url.searchParams.get('versionToken') ?? '';
    const compressions = url.searchParams.getAll('constraints.supportedCompressions');
    const diff =
      isWebSafe(token) && compressions.length === 2
        ? lists.answer(threatType as ThreatType, Buffer.from(token, 'base64url'))
        : { status: 400 };
    if (isFault(diff)) return answerFault(response, diff);
    answer(response, diff);
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const key = request.headers['x-goog-api-key'] ?? url.searchParams.get('key') ?? undefined;
    if (url.pathname === '/v1/uris:search') searchUris(url, Array.isArray(key) ? key[0] : key, response);
    else if (url.pathname === '/v1/hashes:search') searchHashes(url, response);
    else if (url.pathname === '/v1/threatLists:computeDiff') computeDiff(url, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    lookups,
    hashSearches,
    lists,
    flag: (uri, types, expireTime) => void flagged.set(uri, threatOf(types, expireTime)),
    flagExpression: (expression, types, expireTime) =>
      void dangerous.set(hash('sha256', expression), threatOf(types, expireTime)),
    cleanUntil: (moment) => void (cleanUntil = moment),
    fault: (next) => void (rule = next),
    received: (count) =>
      new Promise((resolve) => (lookups.length >= count ? resolve() : void waiting.push({ count, resolve }))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Enumerations travel as names or as numbers. */
function typesOf(url: URL, name: string): string[] {
  return url.searchParams
    .getAll(name)
    .map((type) => (/^\d+$/.test(type) ? threatTypes[Number(type) - 1] : type) ?? type);
}

const isFault = (given: FakeFault | object): given is FakeFault => given === 'hang' || 'status' in given;
const isWebSafe = (text: string): boolean => /^[\w-]*=*$/.test(text);

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function answerFault(response: ServerResponse, fault: FakeFault): void {
  if (fault === 'hang') return;
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
