import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { createAddressPolicy } from './guarded-http/address.ts';
import { createConnector } from './guarded-http/connect.ts';
import { answerError, GuardedHttpError } from './guarded-http/error.ts';
import { createHostResolver } from './guarded-http/resolve.ts';

export { GuardedHttpError } from './guarded-http/error.ts';

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
export interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first bytes of the body, at most `maxBodyBytes`. */
  body: Buffer;
  /** Whether the body went on; the connection was ended then. */
  isTruncated: boolean;
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

  const closing = new AbortController();

  return {
    async request({ url, method, headers, body, signal, timeoutMs = longestMs }) {
      const startedAt = performance.now();
      const target = parseUrl(url, allowHttp);
      using ending = endBy(Math.min(timeoutMs, longestMs), signal, closing.signal);
      try {
        const answer = agent.request({
          origin: target.origin,
          path: target.pathname + target.search,
          method,
          headers,
          body,
          signal: ending.signal,
        });
        // While it connects, undici hears no signal.
        const response = await Promise.race([answer, rejection(ending.signal)]);
        const read = await readBody(response.body, maxBodyBytes);
        const { statusCode: status, headers: answered } = response;
        return { status, headers: answered, ...read, durationMs: performance.now() - startedAt };
      } catch (error) {
        // A request that undici finds malformed is the caller's mistake, not the receiver's.
        if ((error as { code?: string }).code === 'UND_ERR_INVALID_ARG') throw error;
        throw answerError(error as Error);
      }
    },
    async checkUrl(url) {
      const { hostname } = parseUrl(url, allowHttp);
      using ending = endBy(checkTimeoutMs);
      try {
        await Promise.race([resolve(withoutBrackets(hostname)), rejection(ending.signal)]);
      } catch (error) {
        const { kind } = error as GuardedHttpError;
        if (kind !== 'dns' && kind !== 'timeout') throw error;
      }
    },
    close() {
      // Not left to undici: a request whose pool it has just retired would go on.
      closing.abort();
      return agent.destroy();
    },
  };
}

/** Parses once, by the URL standard, which brings every spelling of an address into one; nothing parses it again. */
function parseUrl(text: string, allowHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new GuardedHttpError('refused-address', 'This is not a URL.');
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

/** A signal that ends a request at its deadline, or when one of the given signals does; disposed of when it is over. */
function endBy(timeoutMs: number, ...given: (AbortSignal | undefined)[]): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new GuardedHttpError('timeout', `There was no complete answer within ${timeoutMs / 1_000} s.`));
  }, timeoutMs);
  const giveUp = (): void => controller.abort(new GuardedHttpError('aborted', 'The request was given up.'));
  for (const signal of given) {
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const signal of given) signal?.removeEventListener('abort', giveUp);
    },
  };
}

function rejection(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // After the race nobody waits for it any more.
  promise.catch(() => undefined);
  if (signal.aborted) reject(signal.reason as Error);
  else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  return promise;
}

/** Reads the first bytes; leaving a body that goes on destroys its connection. */
async function readBody(
  stream: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<{ body: Buffer; isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isTruncated: size > maxBytes };
}
