import { z } from 'zod';
import { addMember, removeMember } from '#commands/organizations/members.ts';
import { AppError } from '#core/errors/errors.ts';
import { idSchema } from '#core/links/draft.ts';
import { roles } from '#core/organizations/permissions.ts';
import { listMembers } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { emailInputSchema } from '#api/schemas.ts';
import { changing, reading, router } from '#api/staff/context.ts';
import { listShape, passwordSchema, readPage } from '#api/staff/inputs.ts';

// A position in the list: organization id, a dot, user id.
const pair = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const listInput = z
  .strictObject({ ...listShape, cursor: z.string().regex(pair, 'is not that of a page').optional() })
  .prefault({});

const selfAdded = 'You cannot add yourself: another member of staff can, or the operator by `waymark org add-member`.';

export const memberTools = ({ isBreached }: Pick<ApiDependencies, 'isBreached'>) =>
  router({
    list: reading.input(listInput).query(({ ctx, input }) =>
      readPage(input, (query) => listMembers(ctx.em, query), {
        present: (member) => member,
        cursorOf: ({ organizationId, userId }) => `${organizationId}.${userId}`,
      }),
    ),

    /** Adds another person than the caller. A password is required where no user has the e-mail address, and refused for one who has. */
    add: changing
      .input(
        z.strictObject({
          organizationId: idSchema,
          email: emailInputSchema,
          role: z.enum(roles),
          password: passwordSchema.optional(),
        }),
      )
      .mutation(({ ctx, input }) =>
        ctx.change(async (em) => {
          const { organizationId, email, role } = input;
          const { userId, isNewAccount } = await addMember(em, { ...input, isBreached });
          if (userId === ctx.userId) throw new AppError('FORBIDDEN', selfAdded);
          const answer = { organizationId, userId, email: email.toLowerCase(), role, isNewAccount };
          // The organization reads by its e-mail who was added, also where it is another account of the staff's own.
          return { answer, organizationId, subjectId: userId, details: { email: answer.email, role } };
        }),
      ),

    /** Ends a membership, and deletes the member's API key and sessions in that organization. */
    remove: changing
      .input(z.strictObject({ organizationId: idSchema, userId: idSchema }))
      .mutation(({ ctx, input: { organizationId, userId } }) =>
        ctx.change(async (em) => {
          await removeMember(em, { organizationId, userId });
          return { answer: { rowCount: 1 }, organizationId, subjectId: userId };
        }),
      ),
  });
