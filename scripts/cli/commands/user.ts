import { z } from 'zod';
import { findUserByEmail, hashPasswordOf, setPassword, type UserRow } from '#commands/organizations/people.ts';
import { defineCommand, UsageError } from '#scripts/cli/command.ts';
import { emailSchema, passwordOptions, passwordSchema, readPassword } from '#scripts/cli/values.ts';

/** `user set-password` */
export const setPasswordCommand = defineCommand({
  name: 'user set-password',
  about: "Give a user another password; all of the user's sessions end.",
  isAudited: true,
  options: {
    email: { value: 'EMAIL', required: true, about: 'The user.' },
    ...passwordOptions('password', 'The password from now on.'),
  },
  schema: z.strictObject({
    email: emailSchema,
    password: passwordSchema.optional(),
    'password-stdin': z.boolean().optional(),
  }),
  async run({ email, password: given, 'password-stdin': fromStdin }, context) {
    const password = await readPassword('password', { given, fromStdin }, context);
    if (password === undefined) throw new UsageError('--password or --password-stdin: missing');
    const user = await context.withEntities(async (em) => presentUser(await findUserByEmail(em, email)));
    const endedSessions = await context.withDatabase(async (db) => {
      const passwordHash = await hashPasswordOf(db, user.id, 'password', password);
      return db.transaction((tx) => setPassword(tx, user.id, passwordHash));
    });
    const text = `${user.email} has another password now; ${endedSessions} ${endedSessions === 1 ? 'session' : 'sessions'} ended.`;
    return { json: { user, endedSessions }, text, subject: { id: user.id } };
  },
});

/** A user without password hash. */
export function presentUser({ id, email, name, isStaff, createdAt, updatedAt }: UserRow) {
  return { id, email, name, isStaff, createdAt, updatedAt };
}
