import type { SecondFactorMethod } from '#core/accounts/second-factors.ts';

/** Every error code with its HTTP status and its default message (1.3). */
export const errorCatalogue = {
  UNAUTHORIZED: { status: 401, message: 'The API key is missing, wrong or revoked.' },
  SECOND_FACTOR_REQUIRED: { status: 401, message: 'The password is right; a second factor is needed besides.' },
  CONFIRMATION_REQUIRED: { status: 403, message: 'Confirm that it is you first: POST /auth/confirm.' },
  SECOND_FACTOR_MISSING: { status: 403, message: 'The internal tools need a second factor: add one to your account.' },
  FORBIDDEN: { status: 403, message: 'This resource belongs to another organization.' },
  ACTION_NOT_ALLOWED: { status: 403, message: 'This key may not do that.' },
  PLAN_LIMIT_REACHED: { status: 403, message: 'A limit of your plan is reached.' },
  FOLDER_LIMIT_REACHED: { status: 403, message: 'The folder limit of your plan is reached.' },
  FEATURE_NOT_AVAILABLE: { status: 403, message: 'This needs a Premium subscription.' },
  NOT_FOUND: { status: 404, message: 'The requested resource does not exist.' },
  ALREADY_EXIST: { status: 409, message: 'A resource with this identifier exists already.' },
  CONFLICT: { status: 409, message: 'This has been changed in the meantime.' },
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests.' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service is not available for the moment; try again shortly.' },
  INTERNAL_SERVER_ERROR: { status: 500, message: '' },
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

/** One wrong field: `path` is dotted (`rules.0.countries`), empty for the body as a whole. */
export interface Issue {
  path: string;
  message: string;
}

/** Fields of an error's body besides code and message. */
export interface ErrorDetails {
  resource?: string;
  action?: string;
  /** With ALREADY_EXIST what is taken (1.3); else what staff tell about a suspension or a take-down, or `no-organization` of a sign-in. */
  reason?: string;
  /** With the FORBIDDEN of a suspended organization where to ask the operator, as a URI; null: not told. */
  supportContact?: string | null;
  issues?: Issue[];
  /** How many wrong fields `issues` leaves out. */
  moreIssues?: number;
  /** With SECOND_FACTOR_REQUIRED: the sign-in that is under way. */
  token?: string;
  expiresInSeconds?: number;
  /** With SECOND_FACTOR_REQUIRED and CONFIRMATION_REQUIRED: by what the person may show that it is them. */
  methods?: ('password' | SecondFactorMethod)[];
}

/** What an ALREADY_EXIST is about: a field that is taken, or the Idempotency-Key (1.3). */
export const takenReasons = [
  'slug',
  'externalId',
  'name',
  'url',
  'domain',
  'type',
  'email',
  'passkey',
  'totp',
  'idempotency-key',
  'still-running',
] as const;

/** What an ALREADY_EXIST is about. */
type TakenReason = (typeof takenReasons)[number];

/** Codes whose bodies always say more. */
interface RequiredDetails {
  ACTION_NOT_ALLOWED: { resource: string; action: string };
  ALREADY_EXIST: { reason: TakenReason };
}

/** An error that is shown to callers, with a code of the catalogue. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;
  /** Seconds for the header `Retry-After`; undefined: the default of the status. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: Exclude<ErrorCode, keyof RequiredDetails>,
    message?: string,
    details?: ErrorDetails,
    retryAfterSeconds?: number,
  );
  constructor(
    code: 'ACTION_NOT_ALLOWED',
    message: string,
    details: ErrorDetails & RequiredDetails['ACTION_NOT_ALLOWED'],
    retryAfterSeconds?: number,
  );
  constructor(
    code: 'ALREADY_EXIST',
    message: string,
    details: ErrorDetails & RequiredDetails['ALREADY_EXIST'],
    retryAfterSeconds?: number,
  );
  constructor(
    code: ErrorCode,
    message: string = errorCatalogue[code].message,
    details: ErrorDetails = {},
    retryAfterSeconds?: number,
  ) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.name = 'AppError';
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.details = details;
  }
}

/** A RATE_LIMIT_EXCEEDED that says when to try again. */
export function tooMany(message: string, retryAfterSeconds: number): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', message, {}, retryAfterSeconds);
}

/** A VALIDATION_ERROR that names one wrong field. */
export function invalid(path: string, message: string): AppError {
  return invalidFields([{ path, message }]);
}

/** A NOT_FOUND or FORBIDDEN about a thing that a field of the body names (1.4). */
export function refusedReference(code: 'NOT_FOUND' | 'FORBIDDEN', path: string, message?: string): AppError {
  const why = code === 'NOT_FOUND' ? 'does not exist' : 'belongs to another organization';
  return new AppError(code, message, { issues: [{ path, message: why }] });
}

/** The most fields that one error names (1.2). */
export const maxIssues = 100;

/**
 * A VALIDATION_ERROR that names wrong fields, the first hundred of them; its message is the first one's, with the number of others.
 * @param more how many wrong fields `issues` leaves out.
 */
export function invalidFields(issues: readonly Issue[], more = 0): AppError {
  const first = issues[0];
  const own = first === undefined ? undefined : first.path === '' ? first.message : `${first.path}: ${first.message}`;
  const others = issues.length + more - 1;
  const message = own === undefined || others < 1 ? own : `${own.replace(/\.$/, '')}; and ${others} more`;
  const named = issues.slice(0, maxIssues);
  const moreIssues = issues.length - named.length + more;
  return new AppError('VALIDATION_ERROR', message, {
    issues: named,
    ...(moreIssues > 0 ? { moreIssues } : {}),
  });
}

/** The result for one of several things, of which each may be refused by itself. @throws AppError that refuses it. */
export function orThrow<T>(result: T | AppError): T {
  if (result instanceof AppError) throw result;
  return result;
}

/** The error that refuses one of several things, as its result. @throws all other errors. */
export function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
