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

/** An error's code. */
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
  /** What staff tell about a suspension or a take-down. */
  reason?: string;
  issues?: Issue[];
  /** How many wrong fields `issues` leaves out. */
  moreIssues?: number;
  /** With SECOND_FACTOR_REQUIRED: the sign-in that is under way. */
  token?: string;
  expiresInSeconds?: number;
  /** With SECOND_FACTOR_REQUIRED and CONFIRMATION_REQUIRED: by what the person may show that it is them. */
  methods?: ('password' | SecondFactorMethod)[];
}

/** An error that is shown to callers, with a code of the catalogue. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;
  /** Seconds for the header `Retry-After`; undefined: the default of the status. */
  readonly retryAfterSeconds: number | undefined;

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

/** The most fields that one error names (1.2). */
export const maxIssues = 100;

/**
 * A VALIDATION_ERROR that names wrong fields, the first hundred of them; its message is the first one's.
 * @param more how many wrong fields `issues` leaves out.
 */
export function invalidFields(issues: readonly Issue[], more = 0): AppError {
  const first = issues[0];
  const message =
    first === undefined ? undefined : first.path === '' ? first.message : `${first.path}: ${first.message}`;
  const named = issues.slice(0, maxIssues);
  const moreIssues = issues.length - named.length + more;
  return new AppError('VALIDATION_ERROR', message, {
    issues: named,
    ...(moreIssues > 0 ? { moreIssues } : {}),
  });
}
