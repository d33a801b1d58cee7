import { expect, test } from 'vitest';
import { describeReason } from '#console/imports/reason.ts';

const fields = { destination: 'Ziel', slug: 'Slug', tags: 'Tags', expiresAt: 'Endet am', password: 'Passwort' };

test.each([
  ['destination.value: must be an http or https URL', 'Ziel: Must be an http or https URL'],
  ['slug: may hold letters; expiresAt: must be a moment', 'Slug: May hold letters; Endet am: Must be a moment'],
  ['tags.0: must have 1 to 255 characters', 'Tags: Must have 1 to 255 characters'],
  ['qrCode.options.shape: is not a known field', 'qrCode.options.shape: Is not a known field'],
  ['Password: is not imported', 'Passwort: Is not imported'],
  [
    'slug: may hold letters; Link Password: is not imported; make it anew; Link State: is not understood',
    'Slug: May hold letters; Link Password: Is not imported; make it anew; Link State: Is not understood',
  ],
  ['PLAN_LIMIT_REACHED: Your plan allows 10 short links.', 'Your plan allows 10 short links.'],
  ['This link is there already.', 'This link is there already.'],
])('%s', (reason, shown) => {
  expect(describeReason(reason, fields)).toBe(shown);
});
