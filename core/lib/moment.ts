import * as z from 'zod';
import { onlyBesideOthers } from './beside-others.ts';

/** A moment that clients send: ISO 8601 with an offset. */
export const momentInputSchema = z.iso
  .datetime({ offset: true })
  // With its offset, the last day of 9999 may exceed the range of timestamps.
  .refine((moment) => !(new Date(moment).getUTCFullYear() > 9_999), 'must be before the year 10000')
  .transform((moment) => new Date(moment));

/**
 * Names an end in the past beside other wrong fields of an update. Alone it is left to the command: it may be the end that the thing has
 * already, which a client may send back.
 */
export function namingPassedEnd<Schema extends z.ZodObject>(schema: Schema): Schema {
  return schema.refine(({ expiresAt }) => !(expiresAt instanceof Date) || expiresAt.getTime() > Date.now(), {
    path: ['expiresAt'],
    message: 'must be in the future, or the present one',
    ...onlyBesideOthers,
  });
}
