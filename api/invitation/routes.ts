import type { z } from 'zod';
import { invitationLink, invite, resendInvitation, revokeInvitation } from '#commands/organizations/invitations.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Invitation, Membership } from '#db/entities/accounts/people.ts';
import { invitationLivesMs } from '#db/organizations/invitations.ts';
import type { Routes } from '#api/dependencies.ts';
import { once } from '#api/plugins/idempotency.ts';
import { deletedSchema, errorResponses, errorSchema, idParamsSchema } from '#api/schemas.ts';
import {
  createdInvitationSchema,
  invitationListQuerySchema,
  invitationListSchema,
  inviteSchema,
  presentInvitation,
} from './schema.ts';

const many = errorSchema.describe('At most 100 open invitations, and 50 mails a day.');

export const invitationRoutes: Routes = async (app, deps) => {
  const { baseUrl, clock, installation, sealing } = deps;

  const presentAll = async (em: EntityManager, organizationId: string, invitations: readonly Invitation[]) => {
    const emails = invitations.map(({ email }) => email);
    const members = await em.getRepository(Membership).findMemberEmails(organizationId, emails);
    return invitations.map((one) => presentInvitation(one, { now: clock(), members }));
  };

  const presentNew = async (
    em: EntityManager,
    organizationId: string,
    invitation: Invitation,
  ): Promise<z.output<typeof createdInvitationSchema>> => {
    const [presented] = await presentAll(em, organizationId, [invitation]);
    const joinUrl = installation.hasMail ? null : invitationLink(invitation.id, { sealing, baseUrl }, false);
    return { ...presented!, joinUrl };
  };

  app.post('/organization/invitations', {
    config: { access: { resource: 'apiKeys', action: 'create' }, confirmation: 'people with a second factor' },
    schema: {
      operationId: 'invite',
      summary: 'Invite a person by mail',
      description:
        'Owners and admins may; owners are invited by owners alone. A workflow sends the mail, whose link works once, for a week. Whether somebody has an account is not told.',
      body: inviteSchema,
      response: { 201: createdInvitationSchema, ...errorResponses(400, 409), 429: many },
    },
    handler: async (request, reply) => {
      const { actor, body, em } = request;
      const id = await once(request, async (em) => (await invite(em, actor, body, clock())).id);
      void reply.code(201);
      // Ended invitations are kept for longer than Idempotency-Keys.
      const invitation = await em.getRepository(Invitation).read(id);
      return presentNew(em, actor.organizationId, invitation!);
    },
  });

  app.get('/organization/invitations', {
    config: { access: { resource: 'apiKeys', action: 'read' } },
    schema: {
      operationId: 'listInvitations',
      summary: 'List invitations',
      description: 'The most recent first, ended ones for a month.',
      querystring: invitationListQuerySchema,
      response: { 200: invitationListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query }) => {
      const [invitations, count] = await em.getRepository(Invitation).list(organizationId, query);
      return { count, data: await presentAll(em, organizationId, invitations) };
    },
  });

  app.post('/organization/invitations/:id/resend', {
    config: { access: { resource: 'apiKeys', action: 'update' }, confirmation: 'people with a second factor' },
    schema: {
      operationId: 'resendInvitation',
      summary: 'Send an invitation again',
      description: 'The link is the same, and works for another week.',
      params: idParamsSchema,
      response: { 200: createdInvitationSchema, ...errorResponses(400, 404, 409), 429: many },
    },
    handler: async ({ actor, em, params: { id } }) => {
      const options = { now: clock(), livesMs: invitationLivesMs };
      const sent = await em.transactional((em) => resendInvitation(em, actor, id, options));
      return presentNew(em, actor.organizationId, sent);
    },
  });

  app.delete('/organization/invitations/:id', {
    config: { access: { resource: 'apiKeys', action: 'delete' } },
    schema: {
      operationId: 'revokeInvitation',
      summary: 'Take an invitation back',
      description: 'Its link stops working at once.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id } }) => {
      await em.transactional((em) => revokeInvitation(em, actor, id, clock()));
      return { rowCount: 1 };
    },
  });
};
