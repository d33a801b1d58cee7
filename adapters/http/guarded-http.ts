import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { createAddressPolicy } from './address.ts';
import { createConnector } from './connect.ts';
import { answerError, GuardedHttpError } from './error.ts';
import { type Answer, exchange } from './exchange.ts';
import { createHostResolver } from './resolve.ts';

export { GuardedHttpError, type GuardedHttpErrorKind } from './error.ts';

/** Settings of `createGuardedHttp`. */
export interface GuardedHttpOptions {
  /** Addresses and ranges that may be called although they are not public. */
  allowedCidrs?: readonly string[];
  /** Name servers, `address:port`. Default: the system's. */
  dnsServers?: readonly string[];
  /** PEM file of roots that are trusted beside the usual ones. */
  caFile?: string;
  /** The longest that a request takes, from its name's resolution to the last byte read. Default: 30 s. */
  timeoutMs?: number;
  /** How much of an answer is read. Default: 64 KiB. */
  maxBodyBytes?: number;
  /** Lets http addresses pass too. */
  allowHttp?: boolean;
}

/** One request. */
export interface GuardedRequest {
  url: string;
  method: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Gives the request up. */
  signal?: AbortSignal;
  /** Its own deadline, at most the client's. */
  timeoutMs?: number;
}

/** An answer, whatever its status: redirects are not followed, encodings not undone. */
export interface GuardedResponse extends Answer {
  durationMs: number;
}

/** The one door to addresses that customers give (6.8). */
export interface GuardedHttp {
  /** @throws GuardedHttpError where no complete answer came. */
  request(request: GuardedRequest): Promise<GuardedResponse>;
  /**
   * Checks an address that is about to be kept. A name that does not resolve, or not soon, passes: it is checked again at
   * each connection.
   * @throws GuardedHttpError `refused-address`, its message fit for whoever gave the address.
   */
  checkUrl(url: string): Promise<void>;
  /** Ends all connections; requests under way fail as `aborted`. */
  close(): Promise<void>;
}

const checkTimeoutMs = 2_000;
// Receivers announce how long they keep a connection; beyond this they are not believed.
const longestKeepAliveMs = 30_000;

/**
 * Makes the client for addresses that customers give. Hosts that are not public unicast are refused, in every spelling,
 * when a request begins and at each connection (6.8). Connections are kept and used again per origin, any number of them.
 */
export function createGuardedHttp(options: GuardedHttpOptions = {}): GuardedHttp {
  const { allowedCidrs = [], dnsServers = [], caFile, allowHttp = false } = options;
  const { timeoutMs: longestMs = 30_000, maxBodyBytes = 65_536 } = options;
  const policy = createAddressPolicy(allowedCidrs);
  const resolve = createHostResolver(dnsServers, policy);
  const agent = new Agent({
    connect: createConnector({ resolve, policy, caFile, timeoutMs: longestMs }),
    allowH2: false,
    keepAliveMaxTimeout: longestKeepAliveMs,
    // One deadline covers all of a request; undici's own would end its phases earlier.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const underWay = new Set<() => void>();
  let isClosed = false;

  return {
    async request({ url, method, headers, body, signal, timeoutMs = longestMs }) {
      const startedAt = performance.now();
      const target = parseUrl(url, allowHttp);
      if (isClosed) throw new GuardedHttpError('aborted', 'The request was given up.');
      const request = { origin: target.origin, path: target.pathname + target.search, method, headers, body };
      const limits = { timeoutMs: Math.min(timeoutMs, longestMs), maxBodyBytes, signal, underWay };
      try {
        const answer = await exchange(agent, request, limits);
        return { ...answer, durationMs: performance.now() - startedAt };
      } catch (error) {
        // A request that undici finds malformed is the caller's mistake, not the receiver's.
        if ((error as { code?: string }).code === 'UND_ERR_INVALID_ARG') throw error;
        throw answerError(error as Error);
      }
    },
    async checkUrl(url) {
      const { hostname } = parseUrl(url, allowHttp);
      try {
        await Promise.race([resolve(withoutBrackets(hostname)), sleep(checkTimeoutMs, undefined, { ref: false })]);
      } catch (error) {
        if ((error as GuardedHttpError).kind !== 'dns') throw error;
      }
    },
    close() {
      // Not left to undici: a request whose pool it has just retired would go on.
      isClosed = true;
      for (const giveUp of underWay) giveUp();
      return agent.destroy();
    },
  };
}

/** Parses once, by the URL standard, which brings every spelling of an address into one; nothing parses it again. */
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
