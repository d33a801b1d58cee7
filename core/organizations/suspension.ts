import { AppError } from '#core/errors/errors.ts';

/** The refusal of a call for a suspended organization. @param reason what staff tell about it. */
export function suspended(reason: string | null): AppError {
  return new AppError('FORBIDDEN', 'This organization is suspended.', reason === null ? {} : { reason });
}
