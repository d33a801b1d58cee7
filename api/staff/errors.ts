import type { TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY, type TRPC_ERROR_CODE_KEY, type TRPC_ERROR_CODE_NUMBER } from '@trpc/server/rpc';
import { z } from 'zod';
import { AppError, type ErrorCode, invalid } from '#core/errors/errors.ts';
import { invalidBy } from '#core/errors/issues.ts';
import { toAppError } from '#api/plugins/errors.ts';

/** A failed call as tRPC clients read it; `data.error` is the body that the REST API would answer. */
export interface CallErrorShape {
  message: string;
  code: TRPC_ERROR_CODE_NUMBER;
  data: {
    /** tRPC's name for the HTTP status. */
    code: TRPC_ERROR_CODE_KEY;
    httpStatus: number;
    /** The procedure; undefined where the call reached none. */
    path: string | undefined;
    error: { code: ErrorCode; message: string; requestId: string | undefined } & AppError['details'];
  };
}

const names: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

export function shapeError(error: AppError, about: { path?: string; requestId?: string | undefined }): CallErrorShape {
  const { code, message, status, details } = error;
  const name = names[status] ?? 'INTERNAL_SERVER_ERROR';
  return {
    message,
    code: TRPC_ERROR_CODES_BY_KEY[name],
    data: {
      code: name,
      httpStatus: status,
      path: about.path,
      error: { code, message, ...details, requestId: about.requestId },
    },
  };
}

/** Maps a thrown error to the one that the caller gets; an unforeseen one becomes a blank 500. */
export function errorOfCall(error: TRPCError): AppError {
  const { cause, code } = error;
  if (cause instanceof z.core.$ZodError) return invalidBy(cause.issues);
  if (code === 'NOT_FOUND') return new AppError('NOT_FOUND', 'There is no such procedure.');
  if (cause instanceof SyntaxError) return invalid('', 'The input is not valid JSON.');
  // tRPC's own refusals: a wrong body, a wrong method, a batch that is too large.
  if (code !== 'INTERNAL_SERVER_ERROR') return invalid('', error.message);
  return toAppError(cause ?? error);
}
