import { AppError } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Membership, Session, User } from '#db/entities/accounts/people.ts';
import { listPeople, type PersonRow } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { changing, reading, router } from '#api/staff/context.ts';
import { idInput, listInput, readPage } from '#api/staff/inputs.ts';

export const peopleTools = ({ clock }: Pick<ApiDependencies, 'clock'>) =>
  router({
    list: reading
      .input(listInput)
      .query(({ ctx, input }) =>
        readPage(input, (query) => listPeople(ctx.em, query), { present, cursorOf: ({ id }) => id }),
      ),

    /** A person with their organizations and the browsers in which they are signed in. */
    get: reading.input(idInput).query(async ({ ctx: { em }, input: { id } }) => {
      const { email, name, isStaff, createdAt } = await readPerson(em, id);
      const sessions = await em.getRepository(Session).listOf(id, clock());
      const memberships = await em.find(
        Membership,
        { user: id, organization: { deletedAt: null } },
        { populate: ['organization'], orderBy: { createdAt: 'asc', organization: { id: 'asc' } } },
      );
      const organizationIds = memberships.map(({ organization }) => organization.id);
      const lastSeenAt = sessions[0]?.lastSeenAt ?? null;
      return {
        ...present({ id, email: email!, name, isStaff, createdAt, lastSeenAt, organizationIds }),
        memberships: memberships.map(({ organization, role, createdAt: joinedAt }) => ({
          organizationId: organization.id,
          organization: organization.name,
          isSuspended: organization.suspendedAt !== null,
          role,
          joinedAt: joinedAt.toISOString(),
        })),
        sessions: sessions.map((session) => ({
          id: session.id,
          browser: session.browser ?? null,
          os: session.os ?? null,
          createdAt: session.createdAt.toISOString(),
          lastSeenAt: session.lastSeenAt.toISOString(),
        })),
      };
    }),

    /** Signs a person out of every browser, at once. */
    endSessions: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (em) => {
        await readPerson(em, id);
        const rowCount = await em.getRepository(Session).endAllOf(id);
        return { answer: { rowCount }, organizationId: null, subjectId: id, details: { sessions: rowCount } };
      }),
    ),
  });

/** @throws AppError NOT_FOUND. */
async function readPerson(em: EntityManager, id: string): Promise<User> {
  const person = await em.findOne(User, { id, type: 'human' });
  if (person === null) throw new AppError('NOT_FOUND', 'There is no such person.');
  return person;
}

function present({ createdAt, lastSeenAt, ...person }: PersonRow) {
  return { ...person, createdAt: createdAt.toISOString(), lastSeenAt: lastSeenAt?.toISOString() ?? null };
}
