import { z } from 'zod';
import { confirmEmail, findUserByEmail, hashPasswordOf, setPassword } from '#commands/accounts/people.ts';
import { handOver } from '#commands/accounts/verification.ts';
import { resetSecondFactors } from '#commands/accounts/second-factors.ts';
import { Session, type User } from '#db/entities/accounts/people.ts';
import { defineCommand, UsageError } from '#scripts/cli/command.ts';
import { counted } from '#scripts/cli/output.ts';
import { emailSchema, passwordOptions, passwordSchema, readPassword } from '#scripts/cli/values.ts';

export const setPasswordCommand = defineCommand({
  name: 'user set-password',
  about:
    "Set a user's password, and end all of the user's sessions. An account whose e-mail nobody has verified is handed to the person who gets the password: its second factors and known browsers go, and the e-mail counts as verified.",
  isAudited: true,
  options: {
    email: { value: 'EMAIL', required: true, about: 'The user.' },
    ...passwordOptions('password', 'The new password.'),
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
    const endedSessions = await context.withEntities(async (em) => {
      const passwordHash = await hashPasswordOf(em, user.id, 'password', password, context.isBreached);
      return em.transactional(async (em) => {
        const ended = await em.getRepository(Session).count({ user: user.id });
        await handOver(em, user.id, new Date());
        await setPassword(em, user.id, passwordHash);
        return ended;
      });
    });
    const text = `${user.email} has a new password now; ${counted(endedSessions, 'session')} ended.`;
    return { json: { user, endedSessions }, text, subject: { id: user.id } };
  },
});

export const verifyEmailCommand = defineCommand({
  name: 'user verify-email',
  about: 'Note that the person who uses an account has its e-mail, so that it may be given organizations and rights.',
  isAudited: true,
  options: {
    email: { value: 'EMAIL', required: true, about: 'The user. Make sure first that it is they who use the account.' },
  },
  schema: z.strictObject({ email: emailSchema }),
  run: ({ email }, context) =>
    context.withEntities(async (em) => {
      const confirmed = await em.transactional((em) => confirmEmail(em, email, new Date()));
      const user = presentUser(confirmed);
      return { json: { user }, text: `The e-mail of ${user.email} is verified.`, subject: { id: user.id } };
    }),
});

export const removeSecondFactorCommand = defineCommand({
  name: 'user remove-second-factor',
  about: "Remove every second factor of a user who has lost them, and end all of the user's sessions.",
  isAudited: true,
  options: { email: { value: 'EMAIL', required: true, about: 'The user. Make sure first that it is they who ask.' } },
  schema: z.strictObject({ email: emailSchema }),
  async run({ email }, context) {
    const done = await context.withEntities((em) =>
      em.transactional(async (em) => {
        const user = await findUserByEmail(em, email);
        return { user: presentUser(user), ...(await resetSecondFactors(em, user.id)) };
      }),
    );
    const { user, removed, endedSessions } = done;
    const text =
      removed === 0
        ? `${user.email} has no second factor.`
        : `${user.email} signs in by the password alone now; ${counted(endedSessions, 'session')} ended.`;
    return { json: done, text, subject: { id: user.id } };
  },
});

/** A user without password hash. */
export function presentUser({ id, email, name, isStaff, emailVerifiedAt = null, createdAt, updatedAt }: User) {
  return { id, email, name, isStaff, emailVerifiedAt, createdAt, updatedAt };
}
