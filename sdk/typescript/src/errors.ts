import type { ApiError as ErrorBody } from './generated/types.gen.ts';

/** The code of an error, as the API answers it. Later versions of the API may add some. */
export type ErrorCode = ErrorBody['code'];

/** Any failure of a call, or of the verification of a webhook. */
export class WaymarkError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer arrived: the address is wrong, or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionError extends WaymarkError {}

/** No answer arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** A request is no webhook of this secret, or is too old. */
export class WebhookVerificationError extends WaymarkError {}

/** An answer that is no success. Each code has a class of its own below. */
export class ApiError extends WaymarkError {
  readonly status: number;
  readonly code: ErrorCode | undefined;
  /** Names the call in the logs of the installation. */
  readonly requestId: string | undefined;
  /** The whole body of the answer; undefined where a proxy answered in place of the API. */
  readonly body: ErrorBody | undefined;
  readonly headers: Headers;

  constructor(response: Response, body: ErrorBody | undefined) {
    super(body?.message ?? describe(response));
    this.status = response.status;
    this.code = body?.code;
    this.requestId = body?.requestId ?? response.headers.get('x-request-id') ?? undefined;
    this.body = body;
    this.headers = response.headers;
  }

  /** Every wrong field of the input, by its dotted path. */
  get issues(): NonNullable<ErrorBody['issues']> {
    return this.body?.issues ?? [];
  }

  /** Seconds after which the API wants to be called again, where it says so. */
  get retryAfterSeconds(): number | undefined {
    return readRetryAfter(this.headers);
  }
}

export class ValidationError extends ApiError {}
export class UnauthorizedError extends ApiError {}
export class SecondFactorRequiredError extends ApiError {}
export class SecondFactorMissingError extends ApiError {}
export class ConfirmationRequiredError extends ApiError {}
export class ForbiddenError extends ApiError {}
export class ActionNotAllowedError extends ApiError {}
export class PlanLimitReachedError extends ApiError {}
export class FolderLimitReachedError extends ApiError {}
export class FeatureNotAvailableError extends ApiError {}
export class NotFoundError extends ApiError {}
export class AlreadyExistsError extends ApiError {}
export class ConflictError extends ApiError {}
export class RateLimitError extends ApiError {}
export class ServiceUnavailableError extends ApiError {}
export class InternalServerError extends ApiError {}

const classes: Record<ErrorCode, typeof ApiError> = {
  VALIDATION_ERROR: ValidationError,
  UNAUTHORIZED: UnauthorizedError,
  SECOND_FACTOR_REQUIRED: SecondFactorRequiredError,
  SECOND_FACTOR_MISSING: SecondFactorMissingError,
  CONFIRMATION_REQUIRED: ConfirmationRequiredError,
  FORBIDDEN: ForbiddenError,
  ACTION_NOT_ALLOWED: ActionNotAllowedError,
  PLAN_LIMIT_REACHED: PlanLimitReachedError,
  FOLDER_LIMIT_REACHED: FolderLimitReachedError,
  FEATURE_NOT_AVAILABLE: FeatureNotAvailableError,
  NOT_FOUND: NotFoundError,
  ALREADY_EXIST: AlreadyExistsError,
  CONFLICT: ConflictError,
  RATE_LIMIT_EXCEEDED: RateLimitError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
  INTERNAL_SERVER_ERROR: InternalServerError,
};

/** The error of an answer that is no success. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = parseBody(await response.text());
  return new ((body && classes[body.code]) ?? ApiError)(response, body);
}

/** The error of a success that the API did not answer, such as the page of a proxy or of the console. */
export function noAnswerOfWaymark(reason: string, options?: ErrorOptions): WaymarkError {
  return new WaymarkError(`No answer of Waymark: ${reason}. Is the address that of the API?`, options);
}

function describe({ status, headers, type }: Response): string {
  const location = headers.get('location');
  // A browser does not tell where a redirect leads.
  if (location === null && type !== 'opaqueredirect')
    return `The answer has the status ${status} and no error of Waymark.`;
  return `The answer leads to ${location ?? 'another address'}, where your key is not sent. Is the address that of the API?`;
}

/** @returns seconds; undefined where the header is absent or a date. */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function parseBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.code === 'string' && typeof body.message === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}
