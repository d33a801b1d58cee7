import * as z from 'zod';
import { urlProblem } from '#core/links/destination.ts';
import { countCharacters, refusing } from '#core/lib/schemas.ts';

const maxUrlLength = 2_048;

/** The problem of a webhook's URL, or undefined. Whether its host is public is checked by DNS, elsewhere (6.8). */
export function webhookUrlProblem(value: string): string | undefined {
  if (value.length > maxUrlLength && countCharacters(value) > maxUrlLength) {
    return `must have at most ${maxUrlLength} characters`;
  }
  if (!/^https:\/\//i.test(value) || !URL.canParse(value)) return 'must be an https URL';
  // No connection can be made to it.
  if (new URL(value).port === '0') return 'must not have port 0';
  return urlProblem(value);
}

/** The URL of a webhook: https, without user name and password. It is stored as the client sends it. */
export const webhookUrlSchema = z
  .string()
  .superRefine(refusing(webhookUrlProblem))
  .meta({ maxLength: maxUrlLength, example: 'https://hooks.example.com/waymark' });

/**
 * The form in which two URLs of webhooks are compared: as the URL standard serializes it, without a fragment and the dot behind the
 * host.
 */
export function webhookUrlKey(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  return parsed.href;
}
