import { ConnectionError, errorOf, noAnswerOfWaymark, readRetryAfter, TimeoutError } from './errors.ts';

/** How a request is sent. */
export interface SendOptions {
  fetch: typeof globalThis.fetch;
  /** For each attempt: until its answer begins, and between parts of it. */
  timeoutMs: number;
  /** Attempts after the first. */
  maxRetries: number;
}

interface Answer {
  response: Response;
  /** Bytes of its body. */
  size: number;
}

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;
const longestWaitMs = 60_000;
/** The API asks for another call: nothing was done, or (409 with `Retry-After`) the first call with the same key still runs. */
const refusals = new Set([429, 503]);
/** A proxy's or server's failure, after which the call may or may not have been carried out. */
const failures = new Set([500, 502, 504]);

/**
 * Sends a request, again where the API asks for it by `Retry-After`, and where its answer is lost and a second call does no harm.
 * @returns a success, whose body has arrived whole.
 * @throws ApiError when the answer is no success; WaymarkError when it is not the API's; ConnectionError, TimeoutError; the reason of
 * the request's signal.
 */
export async function send(request: Request, { fetch, timeoutMs, maxRetries }: SendOptions): Promise<Response> {
  let retries = maxRetries;
  let limitedMs = 0;
  for (let attempt = 0; ; attempt += 1) {
    const backoffMs = Math.min(firstBackoffMs * 2 ** attempt, longestBackoffMs);
    let waitMs = backoffMs * (0.5 + Math.random() / 2);
    const answer = await exchange(request, fetch, timeoutMs);
    if (answer instanceof ConnectionError) {
      if (retries <= 0 || !isRepeatable(request)) throw answer;
      retries -= 1;
    } else {
      const { response } = answer;
      const { status, headers } = response;
      if (response.ok) return requireOwn(answer, request.url);
      if (leadsOn(answer, request.url)) return addressOf(response);
      const isRefused = refusals.has(status) || (status === 409 && headers.has('retry-after'));
      const canRepeat = isRefused || (failures.has(status) && isRepeatable(request));
      const askedMs = (readRetryAfter(headers) ?? 0) * 1_000;
      // Calls that were refused together shall not come again together.
      if (askedMs > 0) waitMs = askedMs + backoffMs * Math.random();
      // A limit of calls a second lets some of many calls pass each time: the others wait without using up retries, for a minute.
      const isFree = status === 429 && maxRetries > 0 && limitedMs < longestWaitMs;
      if (!canRepeat || askedMs > longestWaitMs || (retries <= 0 && !isFree)) throw await errorOf(response);
      if (isFree) limitedMs += waitMs;
      else retries -= 1;
    }
    await sleep(waitMs, request.signal);
  }
}

/** One attempt. @returns the answer, once its body has arrived whole, or why none arrived. @throws the reason of the request's signal. */
async function exchange(
  request: Request,
  fetch: typeof globalThis.fetch,
  timeoutMs: number,
): Promise<Answer | ConnectionError> {
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const awaitNext = (): void => {
    clearTimeout(timer);
    // Timers count in 31 bits.
    timer = setTimeout(() => late.abort(), Math.min(timeoutMs, 2 ** 31 - 1));
  };
  try {
    awaitNext();
    const signal = AbortSignal.any([request.signal, late.signal]);
    // A redirect may lead to another host, which would get the key.
    const response = await fetch(request.clone(), { signal, redirect: 'manual' });
    // The copy is read, so that a body that breaks off is a failed attempt; the answer keeps what arrived.
    const reader = response.clone().body?.getReader();
    let size = 0;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      size += part.value.length;
      awaitNext();
    }
    return { response, size };
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason;
    if (late.signal.aborted) return new TimeoutError(`No answer came within ${timeoutMs} ms.`, { cause });
    const { origin } = new URL(request.url);
    return new ConnectionError(`No answer came from ${origin}: ${reasonOf(cause as Error)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** @throws WaymarkError where a proxy or a page has answered in place of the API. */
function requireOwn({ response, size }: Answer, url: string): Response {
  const kind = response.headers.get('content-type') ?? 'none';
  const isOwn = kind.startsWith('application/json')
    ? size > 0
    : response.status === 204 || /^image\/|^text\/csv/.test(kind) || url.endsWith('/security.txt');
  if (!isOwn) throw noAnswerOfWaymark(`its type is ${kind}, its size ${size}`);
  return response;
}

/** The end of a sign-in by OIDC answers the address of the console. */
function leadsOn({ response: { status, headers } }: Answer, url: string): boolean {
  return status === 302 && headers.has('location') && /\/auth\/oidc\/callback[/?]/.test(url);
}

function addressOf({ headers }: Response): Response {
  const address = new Response(headers.get('location'), { headers });
  address.headers.set('content-type', 'text/plain');
  return address;
}

/** DELETE is not: the second one would not find what the first deleted. POST and PUT are with a key, by which the API knows them. */
function isRepeatable({ method, headers }: Request): boolean {
  return ['GET', 'PATCH'].includes(method) || headers.has('idempotency-key');
}

/** Node says what happened in the innermost cause alone, browsers nowhere. */
function reasonOf(error: Error & { code?: string }): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : (error.code ?? error.message);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
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
