import { ConnectionError, errorOf, readRetryAfter, TimeoutError } from './errors.ts';

/** How a request is sent. */
export interface SendOptions {
  fetch: typeof globalThis.fetch;
  /** For each attempt. */
  timeoutMs: number;
  /** Attempts after the first. */
  maxRetries: number;
}

const firstWaitMs = 500;
const longestWaitMs = 60_000;
/** The API asks for another call: nothing was done, or (409 with `Retry-After`) the first call with the same key still runs. */
const refusals = new Set([429, 503]);
/** A proxy's or server's failure, after which the call may or may not have been carried out. */
const failures = new Set([500, 502, 504]);

/**
 * Sends a request, again where the API asks for it by `Retry-After`, and where its answer is lost and a second call does no harm.
 * @throws ApiError when the answer is no success; ConnectionError, TimeoutError; the reason of the request's signal.
 */
export async function send(request: Request, { fetch, timeoutMs, maxRetries }: SendOptions): Promise<Response> {
  for (let retries = maxRetries; ; retries -= 1) {
    const failedAttempts = maxRetries - retries;
    let waitMs = firstWaitMs * 2 ** failedAttempts * (0.5 + Math.random() / 2);
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      const response = await fetch(request.clone(), { signal });
      if (response.ok) return response;
      const { status, headers } = response;
      const isRefused = refusals.has(status) || (status === 409 && headers.has('retry-after'));
      const canRepeat = isRefused || (failures.has(status) && isRepeatable(request));
      waitMs = (readRetryAfter(headers) ?? waitMs / 1_000) * 1_000;
      if (retries <= 0 || !canRepeat || waitMs > longestWaitMs) throw await errorOf(response);
      await response.body?.cancel();
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      const failure = connectionErrorOf(error, request.url, timeoutMs);
      if (failure === undefined || retries <= 0 || !isRepeatable(request)) throw failure ?? error;
    }
    await sleep(waitMs, request.signal);
  }
}

/** DELETE is not: the second one would not find what the first deleted. POST and PUT are with a key, by which the API knows them. */
function isRepeatable({ method, headers }: Request): boolean {
  return ['GET', 'PATCH'].includes(method) || headers.has('idempotency-key');
}

/** The error of `fetch` in the SDK's words; undefined: it is an answer's. */
function connectionErrorOf(cause: unknown, url: string, timeoutMs: number): ConnectionError | undefined {
  if (!(cause instanceof Error) || 'status' in cause) return undefined;
  if (cause.name === 'TimeoutError') return new TimeoutError(`No answer came within ${timeoutMs} ms.`, { cause });
  return new ConnectionError(`No answer came from ${new URL(url).origin}: ${reasonOf(cause)}`, { cause });
}

/** Node says what happened in the innermost cause alone, browsers nowhere. */
function reasonOf(error: Error & { code?: string }): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : (error.code ?? error.message);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
