import { describe, expect, it } from 'vitest';
import { addMember, removeMember } from '#commands/organizations/members.ts';
import { verifyPassword } from '#commands/accounts/passwords.ts';
import type { Role } from '#core/organizations/permissions.ts';
import { Membership, User } from '#db/entities/accounts/people.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createUserKey, findKey, joinOrganization, openTestSession } from '#test/support/people.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

const createMember = async (role: Role) => {
  const { id: organizationId } = await createOrganization(db);
  const { id: userId, email } = await createPerson(db, { [organizationId]: role });
  return { organizationId, userId, email };
};

describe('addMember', () => {
  it('creates a new person, named by the part of the e-mail before the @', async () => {
    const { id: organizationId } = await createOrganization(db);
    const draft = { organizationId, email: ' Grace@Example.com ', role: 'admin', password: 'a good password' } as const;
    const { userId, isNewAccount } = await emOf(db).transactional((em) => addMember(em, draft));
    expect(await emOf(db).getRepository(Membership).roleOf({ organizationId, userId })).toBe('admin');
    const user = await emOf(db).getRepository(User).findCredentials({ email: 'grace@example.com' });
    expect([user!.id, isNewAccount]).toEqual([userId, true]);
    expect(await verifyPassword(user!.passwordHash!, 'a good password')).toBe(true);
  });

  it('refuses a new person whose password is the organization’s name', async () => {
    const { organizationId } = await createMember('owner');
    await db.query(`update organizations set name = 'Zanzibar' where id = $1`, [organizationId]);
    const draft = { organizationId, email: 'new@example.com', role: 'member', password: 'Zanzibar!' } as const;
    await expect(emOf(db).transactional((em) => addMember(em, draft))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path: 'password' }] },
    });
    expect(await emOf(db).getRepository(User).findCredentials({ email: 'new@example.com' })).toBeUndefined();
  });

  it('creates one person in two calls at once', async () => {
    const { id: organizationId } = await createOrganization(db);
    const draft = { organizationId, email: 'both@example.com', role: 'member', password: 'a good password' } as const;
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => emOf(db).transactional((em) => addMember(em, draft))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      // A call that comes later finds the account, and has a password for it.
      if (result.status === 'rejected') expect(result.reason.code).toMatch(/^(?:ALREADY_EXIST|VALIDATION_ERROR)$/);
    }
  });
});

describe('removeMember', () => {
  it('ends nothing in other organizations, and leaves the key of a member who comes back revoked', async () => {
    const { organizationId, userId, email } = await createMember('member');
    const other = await createOrganization(db);
    await joinOrganization(db, userId, other.id, 'owner');
    const keys = [await createUserKey(db, organizationId, userId), await createUserKey(db, other.id, userId)];
    await openTestSession(db, userId, organizationId);
    await openTestSession(db, userId, other.id);
    await emOf(db).transactional((em) => removeMember(em, { organizationId, userId }));
    expect(await emOf(db).getRepository(Membership).roleOf({ organizationId, userId })).toBeUndefined();
    expect(await findKey(db, keys[1]!)).toMatchObject({ organizationId: other.id });
    const { rows } = await db.query('select organization_id as id from sessions where user_id = $1', [userId]);
    expect(rows).toEqual([{ id: other.id }]);
    await emOf(db).transactional((em) => addMember(em, { organizationId, email, role: 'member' }));
    expect(await findKey(db, keys[0]!)).toBeUndefined();
  });
});
