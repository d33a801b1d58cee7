import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type Connection, type Connections, dispatch } from './connections.ts';
import { answerError, GuardedHttpError } from './error.ts';

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

interface ExchangeLimits {
  /** When the request began, by `performance.now()`. */
  startedAtMs: number;
  /** Deadline for the whole request, the connection included. */
  timeoutMs: number;
  maxBodyBytes: number;
  signal: AbortSignal | undefined;
}

/** Receives the answer, or the error: a GuardedHttpError, or undici's where it finds the request malformed. */
type OnEnded = (result: Answer | Error) => void;

const nothing = Buffer.alloc(0);

/**
 * One request on undici's client directly: the streams and signals of `undici.request` double the cost of a small answer. It gives
 * its connection back before it ends, so that a request which `onEnded` begins follows on the same connection at once.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #connection: Connection;
  readonly #limits: ExchangeLimits;
  readonly #underWay: Set<Exchange>;
  readonly #onEnded: OnEnded;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #isOver = false;
  #isBegun = false;

  private constructor(
    connections: Connections,
    origin: string,
    limits: ExchangeLimits,
    underWay: Set<Exchange>,
    onEnded: OnEnded,
  ) {
    this.#connections = connections;
    this.#limits = limits;
    this.#underWay = underWay;
    this.#onEnded = onEnded;
    this.#connection = connections.take(origin);
    this.#timer = setTimeout(expire, limits.timeoutMs, this);
  }

  /**
   * Begins a request.
   * @param underWay holds the exchange while it runs.
   * @param onEnded is called once, after this call.
   */
  static begin(
    connections: Connections,
    request: Dispatcher.DispatchOptions & { origin: string },
    limits: ExchangeLimits,
    underWay: Set<Exchange>,
    onEnded: OnEnded,
  ): void {
    const exchange = new Exchange(connections, request.origin, limits, underWay, onEnded);
    underWay.add(exchange);
    dispatch(exchange.#connection, request, exchange);
    exchange.#isBegun = true;
  }

  get signal(): AbortSignal | undefined {
    return this.#limits.signal;
  }

  /** Aborts the request. */
  giveUp(): void {
    this.#breakOff(givenUp());
  }

  /** Ends the request at its deadline. */
  expire(): void {
    const seconds = this.#limits.timeoutMs / 1_000;
    this.#breakOff(new GuardedHttpError('timeout', `There was no complete answer within ${seconds} s.`));
  }

  /** undici knows handlers of its present interface by this method. */
  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#limits.maxBodyBytes) return;
    this.#answer(true);
    controller.abort(new GuardedHttpError('aborted', 'The rest of the answer is not read.'));
  }

  onResponseEnd(): void {
    this.#answer(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // A malformed request is the caller's bug, not the receiver's.
    const isMalformed = (error as { code?: string }).code === 'UND_ERR_INVALID_ARG';
    this.#breakOff(isMalformed ? error : answerError(error));
  }

  #answer(isTruncated: boolean): void {
    if (!this.#end()) return;
    if (isTruncated) this.#connections.drop(this.#connection);
    else this.#connections.release(this.#connection);
    const { maxBodyBytes, startedAtMs } = this.#limits;
    this.#tell({
      status: this.#status,
      headers: this.#headers,
      body: this.#size === 0 ? nothing : Buffer.concat(this.#chunks).subarray(0, maxBodyBytes),
      isTruncated,
      durationMs: performance.now() - startedAtMs,
    });
  }

  #breakOff(error: Error): void {
    if (!this.#end()) return;
    this.#connections.drop(this.#connection);
    this.#tell(error);
  }

  /** @returns whether the exchange was not over yet. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#underWay.delete(this);
    return true;
  }

  #tell(result: Answer | Error): void {
    if (!this.#isBegun) return queueMicrotask(() => this.#onEnded(result));
    try {
      this.#onEnded(result);
    } catch (error) {
      // undici would take it for an error of this request, which is over.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** The error of a request that its caller has aborted. */
export function givenUp(): GuardedHttpError {
  return new GuardedHttpError('aborted', 'The request was given up.');
}

function expire(exchange: Exchange): void {
  exchange.expire();
}
