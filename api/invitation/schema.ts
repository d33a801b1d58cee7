import { z } from 'zod';
import { roles } from '#core/organizations/permissions.ts';
import type { Invitation } from '#db/entities/accounts/people.ts';
import { present } from '#api/present.ts';
import { pagingShape } from '#api/query.ts';
import { emailInputSchema, momentSchema, pageSchema } from '#api/schemas.ts';

const roleSchema = z.enum(roles).describe('The role that the person will have.');

const invitationSchema = z
  .strictObject({
    id: z.guid(),
    email: z.string().meta({ example: 'grace@example.com' }),
    role: roleSchema,
    state: z
      .enum(['pending', 'accepted', 'revoked', 'expired'])
      .describe(
        '`revoked`: it was taken back, or the person who invited lost the right to. `expired`: a week has passed.',
      ),
    isMember: z
      .boolean()
      .describe('Whether the person is a member now: one who accepted may have left, or been removed, since.'),
    invitedBy: z.string().nullable().describe('Name of the person who invited.').meta({ example: 'Ada Lovelace' }),
    createdAt: momentSchema,
    expiresAt: momentSchema.describe('Until when its link works.'),
    mailedAt: momentSchema.nullable().describe('When the mail was taken by the mail server; null: not yet.'),
  })
  .meta({ id: 'Invitation', description: 'An invitation of a person to the organization, by mail.' });

export const createdInvitationSchema = invitationSchema
  .extend({
    joinUrl: z
      .url()
      .nullable()
      .describe('Where the installation sends no mail: the link to pass on yourself. Null where the mail has it.')
      .meta({ 'x-secret': true }),
  })
  .meta({ id: 'CreatedInvitation', description: 'A new invitation, or one that is sent again.' });

export const invitationListSchema = pageSchema(invitationSchema, 'InvitationPage', 'A page of invitations.');

export const invitationListQuerySchema = z.strictObject(pagingShape);

export const inviteSchema = z
  .strictObject({
    email: emailInputSchema,
    role: roleSchema,
  })
  .meta({
    id: 'Invite',
    description: 'Who is invited, and with which role.',
    example: { email: 'grace@example.com', role: 'member' },
  });

export function presentInvitation(invitation: Invitation, { now, members }: { now: Date; members: Set<string> }) {
  return present(invitationSchema, invitation, {
    state: invitation.stateAt(now),
    isMember: members.has(invitation.email),
    invitedBy: invitation.invitedBy?.name,
  });
}
