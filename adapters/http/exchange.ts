import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { GuardedHttpError } from './error.ts';

/** A complete answer. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first bytes of the body. */
  body: Buffer;
  /** Whether the body was longer; the connection was closed then. */
  isTruncated: boolean;
  durationMs: number;
}

interface ExchangeOptions {
  /** When the request began, by `performance.now()`. */
  startedAtMs: number;
  /** Deadline for the whole request, the connection included. */
  timeoutMs: number;
  maxBodyBytes: number;
  signal: AbortSignal | undefined;
  /** Receives a function that aborts the request while it runs. */
  underWay: Set<() => void>;
}

// The abort functions of the requests that a signal aborts. Adding a listener for each request costs ten times as much (measured).
const abortsBySignal = new WeakMap<AbortSignal, Set<() => void>>();

const nothing = Buffer.alloc(0);

function abortsOf(signal: AbortSignal): Set<() => void> {
  const known = abortsBySignal.get(signal);
  if (known !== undefined) return known;
  const aborts = new Set<() => void>();
  abortsBySignal.set(signal, aborts);
  signal.addEventListener('abort', () => aborts.forEach((abort) => abort()), { once: true });
  return aborts;
}

/**
 * Makes one request on undici's dispatcher directly: the streams and signals of `undici.request` double the cost of a small
 * answer.
 * @throws (rejects) GuardedHttpError `timeout` or `aborted`, or the error of undici.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { startedAtMs, timeoutMs, maxBodyBytes, signal, underWay }: ExchangeOptions,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sameSignal = signal === undefined ? undefined : abortsOf(signal);
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let controller: Dispatcher.DispatchController | undefined;
  let reason: GuardedHttpError | undefined;
  let isOver = false;

  function end(): boolean {
    if (isOver) return false;
    isOver = true;
    clearTimeout(timer);
    sameSignal?.delete(giveUp);
    underWay.delete(giveUp);
    return true;
  }

  function breakOff(error: GuardedHttpError): void {
    if (!end()) return;
    reject(error);
    // While the request connects there is no abort function yet.
    reason = error;
    controller?.abort(error);
  }

  function giveUp(): void {
    breakOff(new GuardedHttpError('aborted', 'The request was given up.'));
  }

  function answer(isTruncated: boolean): void {
    if (!end()) return;
    const body = size === 0 ? nothing : Buffer.concat(chunks).subarray(0, maxBodyBytes);
    resolve({ status, headers, body, isTruncated, durationMs: performance.now() - startedAtMs });
  }

  const timer = setTimeout(() => {
    breakOff(new GuardedHttpError('timeout', `There was no complete answer within ${timeoutMs / 1_000} s.`));
  }, timeoutMs);
  underWay.add(giveUp);
  sameSignal?.add(giveUp);
  if (signal?.aborted === true) giveUp();
  if (isOver) return promise;

  dispatcher.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      if (reason !== undefined) started.abort(reason);
    },
    onResponseStart(_controller, code, answered) {
      // Of informational answers there may be some before.
      if (code < 200) return;
      status = code;
      headers = answered;
    },
    onResponseData(reading, chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBodyBytes) return;
      answer(true);
      reading.abort(new GuardedHttpError('aborted', 'The rest of the answer is not read.'));
    },
    onResponseEnd: () => answer(false),
    onResponseError(_controller, error) {
      if (end()) reject(error);
    },
  });
  return promise;
}
