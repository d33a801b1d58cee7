import { z } from 'zod';
import { text } from '#core/lib/text.ts';

const longestEmail = 254;
const shortestPassword = 8;
const longestPassword = 128;

/** An e-mail address; the commands bring it into the form in which it is compared. */
export const emailSchema = text({ max: longestEmail })
  .overwrite((value) => value.trim())
  .pipe(z.email('must be an e-mail address'));

/** A password that somebody is to have. */
export const passwordSchema = text({ min: shortestPassword, max: longestPassword });
