import { AppError } from '#core/errors/errors.ts';

/** The refusal of a call for a suspended organization. */
export class OrganizationSuspended extends AppError {
  /** @param reason what staff tell about it. */
  constructor(reason: string | null) {
    super('FORBIDDEN', 'This organization is suspended.', reason === null ? {} : { reason });
  }
}
