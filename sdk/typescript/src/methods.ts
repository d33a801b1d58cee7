import type { Client } from './generated/client/index.ts';
import { noAnswerOfWaymark } from './errors.ts';
import { List, type Page, type PageQuery } from './pages.ts';
import { send, type SendOptions } from './send.ts';

/** Options of one call; each replaces that of the client. */
export interface CallOptions {
  /** Ends the call, its waits between attempts included. */
  signal?: AbortSignal;
  /** For each attempt: until its answer begins, and between parts of it. */
  timeoutMs?: number;
  /** Attempts after the first. */
  maxRetries?: number;
  /** `If-Match`, for one. */
  headers?: Record<string, string>;
  /** Of a POST or PUT; the client makes one for each call otherwise, and keeps it when it tries again. */
  idempotencyKey?: string;
  /** Query of a call that also has a body, such as `wait`. */
  query?: Record<string, string>;
  /** Called with the answer of a success: its `ETag`, its `X-Request-Id`. Its body belongs to the client. */
  onResponse?: (response: Response) => void;
}

type Operation = (options: never) => Promise<{ data: unknown }>;
type Options<F extends Operation> = NonNullable<Parameters<F>[0]>;
type Data<F extends Operation> = NonNullable<Awaited<ReturnType<F>>['data']>;
type Place = 'body' | 'query' | undefined;
type PageOf<F extends Operation> = Data<F> extends Page<unknown> ? Data<F> : never;
type Input<F extends Operation, P extends Place> = P extends keyof Options<F>
  ? undefined extends Options<F>[P]
    ? [input?: NonNullable<Options<F>[P]>]
    : [input: Options<F>[P]]
  : [];
type Ids<Names extends readonly string[]> = { [Index in keyof Names]: string };
type Arguments<F extends Operation, Names extends readonly string[], P extends Place> = [
  ...ids: Ids<Names>,
  ...input: Input<F, P>,
  options?: CallOptions,
];

/** A call: the ids of its path, then its body or query, then options. */
export type Method<F extends Operation, Names extends readonly string[], P extends Place> = (
  ...args: Arguments<F, Names, P>
) => Promise<Data<F>>;

/** A list: the ids of its path, then its query, then options. */
export type ListMethod<F extends Operation, Names extends readonly string[]> = (
  ...args: Arguments<F, Names, 'query'>
) => List<PageOf<F>>;

/** What the generated operations are called with. */
interface Request {
  path: Record<string, unknown>;
  body?: unknown;
  query?: object;
}

/** Pages without TLS have no `crypto.randomUUID`. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Makes methods of generated operations. */
export type Methods = ReturnType<typeof createMethods>;

export function createMethods(client: Client, { signal: whole, ...settings }: SendOptions & { signal?: AbortSignal }) {
  async function call(operation: Operation, request: Request, options: CallOptions = {}): Promise<unknown> {
    const { idempotencyKey = randomKey(), headers, onResponse, ...rest } = options;
    const signals = [options.signal, whole].filter((signal) => signal !== undefined);
    requireIds(request.path);
    const sent = {
      ...request,
      query: { ...request.query, ...options.query },
      signal: signals.length === 2 ? AbortSignal.any(signals) : signals[0],
      headers,
      throwOnError: true,
      async fetch(made: globalThis.Request) {
        if (takesKey(made) && !made.headers.has('idempotency-key')) made.headers.set('idempotency-key', idempotencyKey);
        const response = await send(made, { ...settings, ...withoutUndefined(rest) });
        onResponse?.(response);
        return response;
      },
    };
    // Not enumerable: the generated operation copies its options into a Request, where Deno has a `client` of its own.
    Object.defineProperty(sent, 'client', { value: client });
    try {
      const { data } = await (operation as (options: object) => Promise<{ data: unknown }>)(sent);
      return data;
    } catch (cause) {
      throw cause instanceof SyntaxError ? noAnswerOfWaymark('it is no JSON', { cause }) : cause;
    }
  }

  function read(names: readonly string[], place: Place, args: readonly unknown[]): [Request, CallOptions | undefined] {
    const path = Object.fromEntries(names.map((name, index) => [name, args[index]]));
    if (place === undefined) return [{ path }, args[names.length] as CallOptions | undefined];
    return [{ path, [place]: args[names.length] }, args[names.length + 1] as CallOptions | undefined];
  }

  const method =
    <const Names extends readonly string[], P extends Place>(names: Names, place: P) =>
    <F extends Operation>(operation: F): Method<F, Names, P> =>
    (...args: readonly unknown[]) =>
      call(operation, ...read(names, place, args)) as Promise<Data<F>>;

  const list =
    <const Names extends readonly string[]>(names: Names) =>
    <F extends Operation>(operation: F, largestLimit = 50): ListMethod<F, Names> =>
    (...args: readonly unknown[]) => {
      const [request, options] = read(names, 'query', args);
      const readPage = (query: PageQuery) => call(operation, { ...request, query }, options) as Promise<PageOf<F>>;
      return new List<PageOf<F>>(readPage, request.query ?? {}, largestLimit);
    };

  return { method, list };
}

/** @throws TypeError */
function requireIds(path: Request['path']): void {
  for (const [name, id] of Object.entries(path))
    // Two dots lead to the path above, one dot or nothing to that of all: to another call.
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${name} is no id: ${JSON.stringify(id)}`);
}

/** The API takes keys with each POST and PUT but those of sign-in. */
function takesKey({ method, url }: globalThis.Request): boolean {
  return (method === 'POST' || method === 'PUT') && !/\/auth\//.test(new URL(url).pathname);
}

function withoutUndefined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
