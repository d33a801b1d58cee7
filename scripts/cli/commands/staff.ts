import { z } from 'zod';
import { addStaff, removeStaff } from '#commands/accounts/people.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { counted } from '#scripts/cli/output.ts';
import { emailSchema } from '#scripts/cli/values.ts';
import { presentUser } from './people/user.ts';

export const addStaffCommand = defineCommand({
  name: 'staff add',
  about: 'Make a user, whose e-mail is verified, a member of staff, who may use the internal tools.',
  isAudited: true,
  options: { email: { value: 'EMAIL', required: true, about: 'The user.' } },
  schema: z.strictObject({ email: emailSchema }),
  run: ({ email }, context) =>
    context.withEntities(async (em) => {
      const user = presentUser(await em.transactional((em) => addStaff(em, email)));
      return { json: { user }, text: `${user.email} is a member of staff now.`, subject: { id: user.id } };
    }),
});

export const removeStaffCommand = defineCommand({
  name: 'staff remove',
  about: "Remove a user from the staff, and end all of the user's sessions.",
  isAudited: true,
  options: { email: { value: 'EMAIL', required: true, about: 'The user.' } },
  schema: z.strictObject({ email: emailSchema }),
  async run({ email }, context) {
    const removed = await context.withEntities((em) => em.transactional((em) => removeStaff(em, email)));
    const { endedSessions } = removed;
    const user = presentUser(removed.user);
    const text = `${user.email} is no longer a member of staff; ${counted(endedSessions, 'session')} ended.`;
    return { json: { user, endedSessions }, text, subject: { id: user.id } };
  },
});
