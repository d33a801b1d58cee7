import { mailPasswordReset, type ResetLinks } from '#commands/accounts/password-resets.ts';
import type { Mailer } from '#core/lib/mail.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Activities of `passwordReset`. The token is in the mail alone: histories have the id of the request. */
export interface PasswordResetActivities {
  /** Mails the link of a request. Fails, to be retried, while the mail server refuses it. */
  mailPasswordReset(input: { resetId: string }): Promise<{ isMailed: boolean }>;
}

export function createPasswordResetActivities({
  em,
  mailer,
  ...links
}: ResetLinks & { em: EntityManager; mailer: Mailer }): PasswordResetActivities {
  return {
    mailPasswordReset: async ({ resetId }) => ({
      isMailed: await mailPasswordReset(em.fork(), mailer, resetId, links),
    }),
  };
}
