import { z } from 'zod';
import { urlProblem } from '#core/links/destination.ts';
import { countCharacters } from '#core/lib/text.ts';

const maxUrlLength = 2_048;

/** What is wrong with an address that events are to be sent to, or undefined. Where it leads to is asked elsewhere (6.8). */
export function webhookUrlProblem(value: string): string | undefined {
  if (value.length > maxUrlLength && countCharacters(value) > maxUrlLength) {
    return `must have at most ${maxUrlLength} characters`;
  }
  if (!/^https:\/\//i.test(value) || !URL.canParse(value)) return 'must be an https URL';
  return urlProblem(value);
}

/** The address of a webhook: https, without a user name or password; kept as it is sent. */
export const webhookUrlSchema = z
  .string()
  .superRefine((value, context) => {
    const message = webhookUrlProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ maxLength: maxUrlLength, example: 'https://hooks.example.com/waymark' });

/** The one spelling of a webhook's address by which two are compared: as the URL standard writes it, without a fragment. */
export function webhookUrlKey(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}
