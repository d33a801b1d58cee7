import { expect, test } from 'vitest';
import { uuidv7 } from '#core/lib/uuid.ts';
import { weigh } from '#relay/weights.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { startOfDomain } from '#workflows/domain.ts';
import { startOfPasswordReset } from '#workflows/mail.ts';

const db = useTestDatabase();

test('premium organizations have a larger share of turns, and work for none has no key', async () => {
  const premium = await createOrganization(db, { plan: 'premium' });
  const free = await createOrganization(db, { plan: 'free' });
  const starts = [
    ...[premium, free].map(({ id: organizationId }) =>
      startOfDomain({ id: uuidv7(), organizationId, domain: 'go.example' }),
    ),
    startOfPasswordReset({ id: uuidv7() }),
  ];
  await weigh(emOf(db), starts);
  expect(starts.map(({ options }) => options.priority)).toEqual([
    { priorityKey: 3, fairnessKey: premium.id, fairnessWeight: 3 },
    { priorityKey: 3, fairnessKey: free.id },
    { priorityKey: 1 },
  ]);
});
