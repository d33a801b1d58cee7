import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { answerError, GuardedHttpError } from './error.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first bytes of the body. */
  body: Buffer;
  /** Whether the body was longer; the connection was closed then. */
  isTruncated: boolean;
  durationMs: number;
}

interface ExchangeLimits {
  /** Deadline for the whole request, the connection included. */
  timeoutMs: number;
  maxBodyBytes: number;
  /** Any of them gives the request up. */
  signals: readonly AbortSignal[];
}

// A process that was suspended runs its timers before it reads the answers that came meanwhile: it gets this time to read them.
const lateMs = 1_000;

/**
 * Makes one request of undici directly: the streams and signals of `undici.request` double the cost of a small answer.
 * @throws (rejects) GuardedHttpError where no complete answer came; undici's error where it finds the request malformed.
 */
export function exchange(
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, maxBodyBytes, signals }: ExchangeLimits,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const startedAtMs = performance.now();
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  const giveUp = (): void => breakOff(givenUp());
  const expire = (): void =>
    breakOff(new GuardedHttpError('timeout', `There was no complete answer within ${timeoutMs / 1_000} s.`));
  let timer = setTimeout(() => {
    const isLate = performance.now() - startedAtMs - timeoutMs > lateMs;
    if (isLate) timer = setTimeout(expire, lateMs);
    else expire();
  }, timeoutMs);
  for (const signal of signals) signal.addEventListener('abort', giveUp);

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', giveUp);
  }

  function answer(isTruncated: boolean): void {
    end();
    const body = Buffer.concat(chunks).subarray(0, maxBodyBytes);
    resolve({ status, headers, body, isTruncated, durationMs: performance.now() - startedAtMs });
  }

  function breakOff(error: Error): void {
    if (isOver) return;
    end();
    reject(error);
    controller?.abort(error);
  }

  agent.dispatch(request, {
    onRequestStart(begun) {
      controller = begun;
      // The connection stands only now.
      if (isOver) begun.abort(givenUp());
    },
    onResponseStart(_controller, code, received) {
      status = code;
      headers = received;
    },
    onResponseData(begun, chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBodyBytes) return;
      answer(true);
      begun.abort(new GuardedHttpError('aborted', 'The rest of the answer is not read.'));
    },
    onResponseEnd: () => answer(false),
    onResponseError(_controller, error) {
      // A malformed request is the caller's bug, not the receiver's.
      const isMalformed = (error as { code?: string }).code === 'UND_ERR_INVALID_ARG';
      breakOff(isMalformed ? error : answerError(error));
    },
  });
  return promise;
}

/** The error of a request that its caller has aborted. */
export function givenUp(): GuardedHttpError {
  return new GuardedHttpError('aborted', 'The request was given up.');
}
