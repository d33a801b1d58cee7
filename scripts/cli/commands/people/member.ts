import { z } from 'zod';
import { findUserByEmail } from '#commands/accounts/people.ts';
import { addMember } from '#commands/organizations/members.ts';
import { roles } from '#core/organizations/permissions.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { emailSchema, idSchema } from '#scripts/cli/values.ts';
import { presentUser } from './user.ts';

export const addMemberCommand = defineCommand({
  name: 'org add-member',
  about:
    'Make an existing user, whose e-mail is verified, a member of an organization, also one of the staff, who cannot add themselves.',
  isAudited: true,
  options: {
    org: { value: 'ID', required: true, about: 'The organization.' },
    email: { value: 'EMAIL', required: true, about: 'The user.' },
    role: { value: roles.join('|'), required: true, about: 'The role of the member.' },
  },
  schema: z.strictObject({ org: idSchema, email: emailSchema, role: z.enum(roles) }),
  run: ({ org, email, role }, context) =>
    context.withEntities(async (em) => {
      const user = presentUser(await findUserByEmail(em, email));
      await em.transactional((em) => addMember(em, { organizationId: org, email, role }));
      const text = `${user.email} is a member (${role}) of the organization now.`;
      return { json: { user, role }, text, subject: { organizationId: org, id: user.id } };
    }),
});
