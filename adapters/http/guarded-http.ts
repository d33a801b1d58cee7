import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { createAddressPolicy } from './address.ts';
import { Connections } from './connections.ts';
import { GuardedHttpError } from './error.ts';
import { type Answer, Exchange, givenUp } from './exchange.ts';
import { skipInterimAnswers } from './interim-answers.ts';
import { createHostResolver } from './resolve.ts';

export { GuardedHttpError, type GuardedHttpErrorKind } from './error.ts';

export interface GuardedHttpOptions {
  /** Addresses and CIDR ranges that may be called although they are not public. */
  allowedCidrs?: readonly string[];
  /** Name servers, `address:port`. Default: the system's. */
  dnsServers?: readonly string[];
  /** PEM file of root certificates trusted besides Node's. */
  caFile?: string;
  /** Maximum duration of a request, from name resolution to the last byte read. Default: 30 s. */
  timeoutMs?: number;
  /** Maximum bytes read of an answer. Default: 64 KiB. */
  maxBodyBytes?: number;
  /** Allows http addresses too. */
  allowHttp?: boolean;
}

export interface GuardedRequest {
  url: string;
  method: Dispatcher.HttpMethod;
  /** By name; or names and values in turn, which costs less. */
  headers?: Record<string, string> | string[];
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Deadline of this request; at most the client's. */
  timeoutMs?: number;
}

/** An answer of any status. Redirects are not followed, bodies not decompressed. */
export type GuardedResponse = Answer;

/** HTTP client for addresses that customers give; no other code calls them (6.8). */
export interface GuardedHttp {
  /** @throws GuardedHttpError where no complete answer came. */
  request(request: GuardedRequest): Promise<GuardedResponse>;
  /**
   * Checks an address before it is stored. A name that does not resolve in time passes, because each connection checks it again.
   * @throws GuardedHttpError `refused-address`, with a message for the customer.
   */
  checkUrl(url: string): Promise<void>;
  /** Closes all connections; running requests fail as `aborted`. */
  close(): Promise<void>;
}

const checkTimeoutMs = 2_000;
// Upper limit of the keep-alive time that receivers announce.
const longestKeepAliveMs = 30_000;
// As many webhooks as a worker sends to at a time; with addresses of 2,048 characters they hold 4 MB.
const mostTargets = 1_000;

/** A parsed address. */
interface Target {
  origin: string;
  path: string;
}

/**
 * Refuses hosts that are not public unicast, in every spelling, when a request begins and at each connection (6.8). Keeps
 * connections alive by origin, without a maximum.
 */
export function createGuardedHttp(options: GuardedHttpOptions = {}): GuardedHttp {
  const { allowedCidrs = [], dnsServers = [], caFile, allowHttp = false } = options;
  const { timeoutMs: longestMs = 30_000, maxBodyBytes = 65_536 } = options;
  const policy = createAddressPolicy(allowedCidrs);
  const resolve = createHostResolver(dnsServers, policy);
  let opening: Promise<Connections> | undefined;
  const targets = new Map<string, Target>();

  /** Parses an address, or finds it among those of earlier requests: a webhook has thousands with the same one. */
  function targetOf(url: string): Target {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const { origin, pathname, search } = parseUrl(url, allowHttp);
    if (targets.size >= mostTargets) targets.clear();
    const target = { origin, path: pathname + search };
    targets.set(url, target);
    return target;
  }

  // undici is loaded at the first request: a process that calls no customer saves its 4 MB.
  async function open(): Promise<Connections> {
    const [undici, { createConnector }] = await Promise.all([import('undici'), import('./connect.ts')]);
    const connect = createConnector({ resolve, policy, caFile, timeoutMs: longestMs });
    const options = {
      allowH2: false,
      keepAliveMaxTimeout: longestKeepAliveMs,
      // One deadline covers the whole request, so undici's deadlines of phases are off.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    return new Connections((origin, answer) => {
      const connectOnce: typeof connect = (target, callback) =>
        connect(target, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          skipInterimAnswers(socket, answer);
          callback(null, socket);
        });
      return new undici.Client(origin, { ...options, connect: connectOnce });
    });
  }

  const underWay = new Set<Exchange>();
  // A listener for each request costs ten times as much as one for each signal (measured).
  const knownSignals = new WeakSet<AbortSignal>();
  let isClosed = false;

  function watch(signal: AbortSignal): void {
    if (knownSignals.has(signal)) return;
    knownSignals.add(signal);
    const giveUp = (): void => {
      for (const exchange of underWay) if (exchange.signal === signal) exchange.giveUp();
    };
    signal.addEventListener('abort', giveUp, { once: true });
  }

  async function send(request: GuardedRequest): Promise<GuardedResponse> {
    const startedAtMs = performance.now();
    const { url, method, headers, body, signal, timeoutMs = longestMs } = request;
    const { origin, path } = targetOf(url);
    const over = await (opening ??= open());
    if (isClosed || signal?.aborted === true) throw givenUp();
    if (signal !== undefined) watch(signal);
    const limits = { startedAtMs, timeoutMs: Math.min(timeoutMs, longestMs), maxBodyBytes, signal };
    return new Promise((resolve, reject) => {
      Exchange.begin(over, { origin, path, method, headers, body }, limits, underWay, (result) => {
        if (result instanceof Error) reject(result);
        else resolve(result);
      });
    });
  }

  return {
    request: send,
    async checkUrl(url) {
      const { hostname } = parseUrl(url, allowHttp);
      try {
        await Promise.race([resolve(withoutBrackets(hostname)), sleep(checkTimeoutMs, undefined, { ref: false })]);
      } catch (error) {
        if ((error as GuardedHttpError).kind !== 'dns') throw error;
      }
    },
    async close() {
      isClosed = true;
      for (const exchange of underWay) exchange.giveUp();
      await (await opening)?.close();
    },
  };
}

/** Parses by the URL standard, which normalizes every spelling of an address. The result is not parsed again. */
function parseUrl(text: string, allowHttp: boolean): URL {
  const url = URL.parse(text);
  if (url === null) throw new GuardedHttpError('refused-address', 'This is not a URL.');
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    throw new GuardedHttpError('refused-address', 'Only https addresses are called.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new GuardedHttpError('refused-address', 'An address with user name or password in it is not called.');
  }
  return url;
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
