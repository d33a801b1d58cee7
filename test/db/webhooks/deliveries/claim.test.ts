import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimAsPump, createDelivery, createTestWebhook } from '#test/support/deliveries.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { isNight } from '#test/support/night.ts';

const db = useTestDatabase();

test('a claim gives each delivery the bytes of its own event, whatever characters the events have', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', 'ß', '€', '😀', '\u2028'), maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 12 }), async (texts) => {
      const webhookId = await createTestWebhook(db);
      const made = [];
      for (const each of texts) made.push(await createDelivery(db, webhookId, { text: each }));
      const { rows } = (await claimAsPump(db, { webhookId, pumpId: 'a', limit: 20 }))!;
      const claimed = rows.map(({ id, eventId, body }) => ({ id, eventId, body }));
      expect(claimed.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(made);
    }),
    { numRuns: isNight ? 20 : 6 },
  );
});
