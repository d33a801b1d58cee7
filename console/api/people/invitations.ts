import type { output } from 'zod';
import type { createdInvitationSchema, invitationListSchema } from '#api/invitation/schema.ts';
import type { invitationOfferSchema } from '#api/auth/invitation-routes.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';
import type { Session } from '#console/api/types.ts';

type InvitationPage = output<typeof invitationListSchema>;
export type Invitation = InvitationPage['data'][number];
/** A new invitation, or one that is sent again. */
export type CreatedInvitation = output<typeof createdInvitationSchema>;
/** An invitation, as the invited person sees it. */
export type InvitationOffer = output<typeof invitationOfferSchema>;

/** The 50 most recent invitations to the organization, most recent first. */
export const invitationsQuery = readQuery<InvitationPage>(
  ['organization', 'invitations'],
  '/organization/invitations',
  {
    query: { limit: 50 },
    // Until the mail is out.
    refetchInterval: ({ state: { data } }) =>
      data?.data.some(({ state, mailedAt }) => state === 'pending' && mailedAt === null) === true ? 2_000 : 30_000,
  },
);

/** Invites a person. @param intent one key for each time that the person means it. */
export function invite(body: { email: string; role: Invitation['role'] }, intent: string): Promise<CreatedInvitation> {
  return call('POST', '/organization/invitations', { body, idempotencyKey: intent });
}

export function resendInvitation(id: string): Promise<CreatedInvitation> {
  return call('POST', '/organization/invitations/{id}/resend', { params: { id } });
}

export function revokeInvitation(id: string): Promise<unknown> {
  return call('DELETE', '/organization/invitations/{id}', { params: { id } });
}

/** Leaves the organization of the session. @throws ApiError CONFLICT for the only owner. */
export function leaveOrganization(): Promise<unknown> {
  return call('POST', '/auth/organization/leave');
}

/** Reads an invitation by the token of its mail. @throws ApiError VALIDATION_ERROR at `token`. */
export function readInvitation(token: string): Promise<InvitationOffer> {
  return call('POST', '/auth/invitation', { body: { token }, isSignIn: true });
}

/** Joins as a new person, or by the password of the account. @throws ApiError */
export function acceptInvitation(body: { token: string; name: string | null; password: string }): Promise<Session> {
  return call('POST', '/auth/invitation/accept', { body, isSignIn: true });
}

/** Joins by the session of the invited person. @throws ApiError */
export function joinByInvitation(token: string): Promise<Session> {
  return call('POST', '/auth/invitation/join', { body: { token }, isSignIn: true });
}
