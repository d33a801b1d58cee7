import { ApiError } from './error.ts';
import type { ProofMethod } from './people/second-factors.ts';
import { loadRefusalWords } from './refusal.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type QueryValue = string | number | boolean | null | undefined | readonly (string | number)[];

export interface CallOptions {
  /** Values of `{names}` in the path. */
  params?: Record<string, string>;
  query?: Record<string, QueryValue>;
  /** Sent as JSON, or as it is where it is a FormData. */
  body?: unknown;
  signal?: AbortSignal;
  /** Of one intent of the person: a repeated call with the same key and body has one effect; another body is another intent. */
  idempotencyKey?: string;
  /** An ETag: the call is refused where the resource changed since. */
  ifMatch?: string;
  /** How long the answer may take, without repeats. Default: 30 s. */
  timeoutMs?: number;
  /** Whether a 401 is an answer like any other, instead of a reason to ask for the password. */
  isSignIn?: boolean;
}

interface Connection {
  /** Asks the person to sign in again; resolves once they did, rejects where they leave. */
  signInAgain(): Promise<void>;
  /** Asks the person to confirm that it is them; resolves once they did, rejects where they do not. */
  confirm(methods: readonly ProofMethod[]): Promise<void>;
  /** Hears whether the latest call reached the API. */
  onReach(isReached: boolean): void;
  /** Hears that a call was forbidden: the organization may be suspended. */
  onForbidden(): void;
}

const attempts = 5;
const longestWaitMs = 60_000;
// A person who waits longer wants to read why.
const longestLimitMs = 5_000;

// Addresses of deletions whose answer got lost.
const lostDeletions = new Set<string>();

let connection: Connection = {
  signInAgain: () => Promise.reject(new Error('nobody listens')),
  confirm: () => Promise.reject(new Error('nobody listens')),
  onReach() {},
  onForbidden() {},
};

/** Sets what the client does when a session ended or the API is away. */
export function connect(to: Connection): void {
  connection = to;
}

/** Address of the API, without a slash at its end. */
export function apiBase(): string {
  const given = document.querySelector<HTMLMetaElement>('meta[name="waymark-base"]')?.content ?? '';
  return (given === '' ? location.origin : given).replace(/\/$/, '');
}

export interface Tagged<T> {
  data: T;
  etag: string | undefined;
}

/**
 * Calls the REST API with the session's cookie. A call that only reads, deletes one thing, or has an Idempotency-Key, is repeated while
 * the API is away; where a deletion whose answer got lost finds nothing at the next try, it has worked. One that was limited is repeated where the API asks for a few seconds, and never where it signs in; one without a session asks the person to sign in and goes on, and so
 * does one that needs a confirmation.
 * @param path as in `/doc`, with `{names}` of `params`.
 * @throws ApiError
 */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  return (await callTagged<T>(method, path, options)).data;
}

/** Like `call`, with the ETag of the answer. */
export async function callTagged<T>(method: Method, path: string, options: CallOptions = {}): Promise<Tagged<T>> {
  const response = await send(method, path, options);
  const etag = response.headers.get('etag') ?? undefined;
  if (response.status === 204) return { data: undefined as T, etag };
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { data: (isJson ? await response.json() : await response.blob()) as T, etag };
}

/** Address of a call, for links that a browser follows itself. */
export function addressOf(
  path: string,
  { params = {}, query = {} }: Pick<CallOptions, 'params' | 'query'> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return `${apiBase()}${filled}${text === '' ? '' : `?${text}`}`;
}

async function send(method: Method, path: string, options: CallOptions): Promise<Response> {
  const isDeletion = method === 'DELETE' && options.params !== undefined;
  const isRepeatable = method === 'GET' || isDeletion || options.idempotencyKey !== undefined;
  const address = addressOf(path, options);
  for (let attempt = 1; ; attempt += 1) {
    const result = await sendOnce(method, path, options);
    if (result instanceof Response && result.ok) return result;
    const error = result instanceof Response ? await readError(result) : result;
    options.signal?.throwIfAborted();
    if (error.status === 404 && lostDeletions.delete(address)) return new Response(null, { status: 204 });
    if (isDeletion && error.isPassing && error.status !== 429) lostDeletions.add(address);
    if (error.status === 401 && options.isSignIn !== true) {
      await connection.signInAgain();
      continue;
    }
    if (error.code === 'CONFIRMATION_REQUIRED') {
      await connection.confirm(error.methods ?? []);
      continue;
    }
    if (error.code === 'FORBIDDEN' && !path.startsWith('/auth/')) connection.onForbidden();
    const asked = result instanceof Response ? Number(result.headers.get('retry-after')) * 1_000 : 0;
    const isAboutPerson = options.isSignIn === true || path.startsWith('/auth/');
    const canRepeat =
      error.status === 429 ? asked <= longestLimitMs && !isAboutPerson : error.isPassing && isRepeatable;
    if (!canRepeat || attempt >= attempts) throw error;
    // A little apart, so that tabs do not come back at the same moment.
    const gap = Math.min(longestWaitMs, asked || 500 * 2 ** (attempt - 1)) * (1 + Math.random() / 4);
    await wait(gap, options.signal);
  }
}

async function sendOnce(method: Method, path: string, options: CallOptions): Promise<Response | ApiError> {
  const { body, signal, idempotencyKey, ifMatch, timeoutMs = 30_000 } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = keyOf(idempotencyKey, body);
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(addressOf(path, options), {
      method,
      headers,
      credentials: 'same-origin',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    connection.onReach(true);
    return response;
  } catch {
    signal?.throwIfAborted();
    connection.onReach(false);
    return new ApiError(0, { code: 'OFFLINE', message: 'The API did not answer.' });
  }
}

/** The Idempotency-Key of an intent: another body under the key of an earlier call would be refused. Parts of forms are not told apart. */
function keyOf(intent: string, body: unknown): string {
  let hash = 0;
  for (const character of JSON.stringify(body ?? '')) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) | 0;
  return `${intent} ${hash}`;
}

async function readError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const fallback = { code: 'INTERNAL_SERVER_ERROR', message: `The API answered ${response.status}.`, requestId };
  const answer: unknown = await response.json().catch(() => fallback);
  await loadRefusalWords();
  const body = errorOfTools(answer) ?? answer;
  return new ApiError(response.status, isErrorBody(body) ? { ...fallback, ...body } : fallback);
}

/** The body of the REST API inside an error of the internal tools. */
function errorOfTools(answer: unknown): unknown {
  const { error } = (answer ?? {}) as { error?: { data?: { error?: unknown } } };
  return error?.data?.error;
}

function isErrorBody(body: unknown): body is { code: string; message: string } {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** The page of the console as the API serves it now; undefined: the API does not answer with it. */
export async function readServedPage(): Promise<string | undefined> {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}
