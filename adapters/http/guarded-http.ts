import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Agent, Dispatcher } from 'undici';
import { createAddressPolicy } from './address.ts';
import { GuardedHttpError } from './error.ts';
import { type Answer, exchange, givenUp } from './exchange.ts';
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
// Of receivers that announce no time: gunicorn closes after two seconds, and a request that it no longer reads would fail.
const keepAliveMs = 1_000;
// Upper limit of the keep-alive time that receivers announce.
const longestKeepAliveMs = 30_000;

/**
 * Refuses hosts that are not public unicast, in every spelling, when a request begins and at each connection (6.8). Keeps
 * connections alive by origin, without a maximum.
 */
export function createGuardedHttp(options: GuardedHttpOptions = {}): GuardedHttp {
  const { allowedCidrs = [], dnsServers = [], caFile, allowHttp = false } = options;
  const { timeoutMs: longestMs = 30_000, maxBodyBytes = 65_536 } = options;
  const allows = createAddressPolicy(allowedCidrs);
  const resolve = createHostResolver(dnsServers, allows);
  let opening: Promise<Agent> | undefined;
  const closing = new AbortController();

  // undici is loaded at the first request: a process that calls no customer saves its 4 MB.
  async function open(): Promise<Agent> {
    const [undici, { createConnector }] = await Promise.all([import('undici'), import('./connect.ts')]);
    return new undici.Agent({
      connect: createConnector({ resolve, allows, caFile, timeoutMs: longestMs }),
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: longestKeepAliveMs,
      // One deadline covers the whole request, so undici's deadlines of phases are off.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async function send(request: GuardedRequest): Promise<GuardedResponse> {
    const { url, method, headers, body, signal, timeoutMs = longestMs } = request;
    const { origin, pathname, search } = parseUrl(url, allowHttp);
    const agent = await (opening ??= open());
    const signals = signal === undefined ? [closing.signal] : [closing.signal, signal];
    if (signals.some(({ aborted }) => aborted)) throw givenUp();
    const limits = { timeoutMs: Math.min(timeoutMs, longestMs), maxBodyBytes, signals };
    const answer = await exchange(agent, { origin, path: pathname + search, method, headers, body }, limits);
    // undici frees the connection only now: the caller's next request follows on it, and opens no other one.
    await setImmediate();
    return answer;
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
      closing.abort();
      await (await opening)?.destroy();
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
