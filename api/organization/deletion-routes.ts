import { z } from 'zod';
import { transferOwnership } from '#commands/organizations/members.ts';
import { deleteOwnOrganization } from '#commands/organizations/organizations.ts';
import { invalid } from '#core/errors/errors.ts';
import { text } from '#core/lib/schemas.ts';
import { idSchema } from '#core/links/draft.ts';
import { deletionTokenPurpose, readSignedId, writeSignedId } from '#core/secrets/signed-id.ts';
import { Deletion } from '#db/entities/installation.ts';
import { createSessionCookie } from '#api/auth/cookie.ts';
import type { Routes } from '#api/dependencies.ts';
import { once } from '#api/plugins/idempotency.ts';
import { errorResponses, momentSchema } from '#api/schemas.ts';

const transferSchema = z.strictObject({ userId: idSchema.describe('The member who becomes an owner.') }).meta({
  id: 'TransferOwnership',
  description: 'Who becomes an owner in the place of the caller.',
  example: { userId: '0195a1ef-9c0b-7a41-8f8e-0d6a5b1b7e02' },
});

const transferredSchema = z
  .strictObject({
    ownerId: z.guid().describe('The user who is an owner now.'),
    role: z.literal('admin').describe('The role of the caller now.'),
  })
  .meta({ id: 'TransferredOwnership', description: 'The roles after a transfer.' });

const deleteQuerySchema = z.strictObject({
  name: text({ min: 1, max: 255 }).describe('Name of the organization: the proof that this one is meant.'),
});

export const deletedOrganizationSchema = z
  .strictObject({
    rowCount: z.literal(1),
    hasSession: z.boolean().describe('Whether the session goes on, in another organization of the user.'),
    progressToken: z
      .string()
      .describe('For GET /organization/deletion, which needs no session.')
      .meta({ 'x-secret': true }),
  })
  .meta({ id: 'DeletedOrganization', description: 'An organization that was deleted.' });

const progressQuerySchema = z.strictObject({
  token: text({ min: 1, max: 128 }).describe('From the answer of DELETE /organization.'),
});

export const deletionProgressSchema = z
  .strictObject({
    state: z.enum(['running', 'completed']).describe('`completed`: nothing of the organization is left.'),
    links: z.int().nullable().describe('How many links there were; null once all is gone.'),
    linksRemoved: z.int().nullable().describe('How many of them are removed; null once all is gone.'),
    deletedAt: momentSchema.nullable().describe('When it was deleted; null once all is gone.'),
  })
  .meta({ id: 'DeletionProgress', description: 'How far the deletion of an organization is.' });

export const deletionRoutes: Routes = async (app, { baseUrl, clock, sealing }) => {
  const cookie = createSessionCookie(baseUrl);
  const keys = sealing.deriveKeys(deletionTokenPurpose);

  app.post('/organization/transfer', {
    config: {
      access: { resource: 'apiKeys', action: 'update', bySession: true },
      confirmation: 'people with a second factor',
    },
    schema: {
      operationId: 'transferOwnership',
      summary: 'Make a member the owner in your place',
      description:
        'Owners alone may. The caller becomes an admin, whose session goes on; the sessions of the new owner in this organization end. Other owners stay.',
      body: transferSchema,
      response: { 200: transferredSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request) => {
      const { actor, body, session } = request;
      const { userId } = body;
      const people = { userId, sessionId: session!.id };
      await once(request, async (em) => {
        await transferOwnership(em, actor, people, clock());
        return userId;
      });
      return { ownerId: userId, role: 'admin' as const };
    },
  });

  app.delete('/organization', {
    config: {
      access: { resource: 'apiKeys', action: 'delete', bySession: true },
      confirmation: 'people with a second factor',
    },
    schema: {
      operationId: 'deleteOrganization',
      summary: "Delete the session's organization with everything in it",
      description:
        'Owners alone may, by its name. Its keys and sessions are refused at once, its links answer 404 within a second, and its webhooks send no more; a process removes links, clicks, files and all else. People keep their accounts. This cannot be undone.',
      querystring: deleteQuerySchema,
      response: { 200: deletedOrganizationSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, query: { name }, session }, reply) => {
      const { id: sessionId } = session!;
      const { hasSession } = await em.transactional((em) =>
        deleteOwnOrganization(em, actor, { sessionId, name }, clock()),
      );
      if (!hasSession) void reply.header('set-cookie', cookie.clear());
      return { rowCount: 1 as const, hasSession, progressToken: writeSignedId(actor.organizationId, keys[0]!) };
    },
  });

  app.get('/organization/deletion', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'getOrganizationDeletion',
      summary: 'Read how far the deletion of an organization is',
      description: 'Without a session: those of the organization have ended with it.',
      querystring: progressQuerySchema,
      response: { 200: deletionProgressSchema, ...errorResponses(400) },
    },
    handler: async ({ em, query: { token } }) => {
      const id = readSignedId(token, keys);
      if (id === undefined) throw invalid('token', 'is not from an answer of DELETE /organization');
      const deletion = await em.findOne(Deletion, { id, kind: 'organization' });
      if (deletion === null) {
        return { state: 'completed' as const, links: null, linksRemoved: null, deletedAt: null };
      }
      const { links, linksRemoved, deletedAt } = deletion;
      const done = Math.min(links, linksRemoved);
      return { state: 'running' as const, links, linksRemoved: done, deletedAt: deletedAt.toISOString() };
    },
  });
};
