import { createClient } from './generated/client/index.ts';
import { createMethods } from './methods.ts';
import { createNouns } from './nouns.ts';

export interface WaymarkOptions {
  /** Address of the API: `https://api.example.com`. */
  baseUrl: string;
  /** Sent as `x-api-key`. A secret: a page that everybody can open must not have one. */
  apiKey?: string;
  /** Sent with every call. */
  headers?: Record<string, string>;
  /** For each attempt of a call: until its answer begins, and between parts of it; 30,000 by default. */
  timeoutMs?: number;
  /** Attempts after the first; 2 by default. */
  maxRetries?: number;
  /** Ends all calls, their waits between attempts included. */
  signal?: AbortSignal;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** The API, by nouns and verbs: `waymark.links.create(…)`. */
export type Waymark = ReturnType<typeof createNouns>;

/** Client of the API at an address. Calls nothing by itself. @throws TypeError where `baseUrl` is no address, or `apiKey` no key. */
export function createWaymark(options: WaymarkOptions): Waymark {
  const { baseUrl, apiKey, headers, timeoutMs = 30_000, maxRetries = 2, signal } = options;
  // Behind a query or fragment, the paths of calls would be a part of it.
  if (!/^https?:\/\/[^/?#][^?#]*$/i.test(baseUrl))
    throw new TypeError(`baseUrl is an address like https://api.example.com, not "${baseUrl}".`);
  // Without the key, which `fetch` would name.
  if (!/^[\x21-\x7e]*$/.test(apiKey?.trim() ?? '')) throw new TypeError('apiKey has characters that no key has.');
  const client = createClient({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { ...(apiKey === undefined ? {} : { 'x-api-key': apiKey.trim() }), ...headers },
  });
  // Looked up at each call, as a page or a test may replace it.
  const fetch: typeof globalThis.fetch = (...args) => (options.fetch ?? globalThis.fetch)(...args);
  return createNouns(createMethods(client, { fetch, timeoutMs, maxRetries, signal }));
}

export {
  ActionNotAllowedError,
  AlreadyExistsError,
  ApiError,
  ConfirmationRequiredError,
  ConflictError,
  ConnectionError,
  FeatureNotAvailableError,
  FolderLimitReachedError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  PlanLimitReachedError,
  RateLimitError,
  SecondFactorMissingError,
  SecondFactorRequiredError,
  ServiceUnavailableError,
  TimeoutError,
  UnauthorizedError,
  ValidationError,
  WaymarkError,
  WebhookVerificationError,
  type ErrorCode,
} from './errors.ts';
export type { CallOptions } from './methods.ts';
export type { List, Page } from './pages.ts';
export { verifyWebhook, type VerifyOptions, type WebhookEvent } from './webhooks.ts';
export type * from './generated/types.gen.ts';
