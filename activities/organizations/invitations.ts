import { type InvitationLinks, type InvitationLook, lookAtInvitation } from '#commands/organizations/invitations.ts';
import type { Mailer } from '#core/lib/mail.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Activities of `invitation`. The token is in the mail alone: histories have the id of the invitation. */
export interface InvitationActivities {
  /** Mails an invitation that waits for it, and ends one whose time is over. Fails, to be retried, while the mail server refuses it. */
  lookAtInvitation(input: { invitationId: string }): Promise<InvitationLook>;
}

export function createInvitationActivities({
  em,
  mailer,
  ...links
}: InvitationLinks & { em: EntityManager; mailer: Mailer }): InvitationActivities {
  return { lookAtInvitation: ({ invitationId }) => lookAtInvitation(em.fork(), mailer, invitationId, links) };
}
