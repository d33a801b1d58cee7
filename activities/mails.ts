import { mailNotice } from '#commands/accounts/notices.ts';
import { mailPasswordReset, type ResetLinks } from '#commands/accounts/password-resets.ts';
import { type InvitationLook, lookAtInvitation } from '#commands/organizations/invitations.ts';
import type { Mailer } from '#core/lib/mail.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Activities that mail a person. Histories have the id of a row alone: addresses and tokens are in the mail. They fail, to be retried, while the mail server refuses it. */
export type MailActivities = ReturnType<typeof createMailActivities>;

export function createMailActivities({ em, mailer, ...links }: ResetLinks & { em: EntityManager; mailer: Mailer }) {
  return {
    mailAccountNotice: async ({ noticeId }: { noticeId: string }): Promise<{ isMailed: boolean }> => ({
      isMailed: await mailNotice(em.fork(), mailer, noticeId, links),
    }),
    mailPasswordReset: async ({ resetId }: { resetId: string }): Promise<{ isMailed: boolean }> => ({
      isMailed: await mailPasswordReset(em.fork(), mailer, resetId, links),
    }),
    /** Mails an invitation that waits for it, and ends one whose time is over. */
    lookAtInvitation: ({ invitationId }: { invitationId: string }): Promise<InvitationLook> =>
      lookAtInvitation(em.fork(), mailer, invitationId, links),
  };
}
