import { expect, it } from 'vitest';
import { addMember } from '#commands/organizations/members.ts';
import { deleteOrganization } from '#commands/organizations/organizations.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson } from '#test/support/people.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

it('a person is not added to an organization that is deleted while the call waits for its lock', async () => {
  const { id: organizationId } = await createOrganization(db);
  const { email } = await createPerson(db, {});
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  let locked!: () => void;
  const isLocked = new Promise<void>((resolve) => (locked = resolve));
  const deleting = emOf(db).transactional(async (em) => {
    await deleteOrganization(em, organizationId, new Date());
    locked();
    await held;
  });
  await isLocked;
  const adding = emOf(db)
    .transactional((em) => addMember(em, { organizationId, email, role: 'member' }))
    .then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
  for (let i = 0; i < 200; i += 1) {
    const { rows } = await db.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    if (rows[0]!.n > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  release();
  await deleting;
  const result = await adding;
  expect(result).toMatchObject({ error: { code: 'NOT_FOUND' } });
});
