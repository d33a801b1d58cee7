import * as z from 'zod';

/** A moment that clients send: ISO 8601 with an offset. */
export const momentInputSchema = z.iso
  .datetime({ offset: true })
  // With its offset, the last day of 9999 may exceed the range of timestamps.
  .refine((moment) => !(new Date(moment).getUTCFullYear() > 9_999), 'must be before the year 10000')
  .transform((moment) => new Date(moment));
