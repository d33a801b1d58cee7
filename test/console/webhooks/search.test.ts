import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deliveredTypes } from '#core/webhooks/events.ts';
import { deliveryStatuses } from '#core/webhooks/standing.ts';
import { parseSearch, readSearch, stringifySearch } from '#console/app/places/search.ts';
import { webhookParameters, type WebhookSearch } from '#console/webhooks/search.ts';

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const searches: fc.Arbitrary<WebhookSearch> = fc.record(
  {
    status: fc.constantFrom(...deliveryStatuses),
    type: fc.constantFrom(...deliveredTypes),
    since: day,
    until: day,
    event: fc.uuid(),
    page: fc.integer({ min: 1, max: 1_000 }),
  },
  { requiredKeys: [] },
);

describe('filters of deliveries in the address', () => {
  test('every state is read back as it was written', () => {
    fc.assert(
      fc.property(searches, (search) => {
        const address = stringifySearch({ ...search });
        expect(readSearch(webhookParameters, parseSearch(address))).toEqual(search);
      }),
    );
  });

  test('values that are not understood are dropped', () => {
    const raw = { status: 'lost', type: 'link', since: 'soon', until: '2026-3-1', event: 'abc', page: '0' };
    expect(readSearch(webhookParameters, raw)).toEqual({});
  });
});
