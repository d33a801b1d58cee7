import { recordChange } from '#commands/organizations/audit.ts';
import { changeRole, expelMember } from '#commands/organizations/members.ts';
import { updateOrganization } from '#commands/organizations/organizations.ts';
import type { Actor } from '#core/audit/actor.ts';
import { AppError } from '#core/errors/errors.ts';
import { plans } from '#core/organizations/plans.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Membership, Organization } from '#db/entities/accounts/people.ts';
import type { Routes } from '#api/dependencies.ts';
import { deletedSchema, errorResponses, errorSchema, idParamsSchema } from '#api/schemas.ts';
import {
  memberListQuerySchema,
  memberListSchema,
  memberSchema,
  type OrganizationAnswer,
  organizationSchema,
  patchMemberSchema,
  patchOrganizationSchema,
  presentMember,
} from './schema.ts';

export const organizationRoutes: Routes = async (app, { clock }) => {
  app.get('/organization', {
    config: { access: 'any permission', keepsReach: true },
    schema: {
      operationId: 'getOrganization',
      summary: "Read the caller's organization",
      description:
        'With the quotas of its plan, and what counts against them. Every key may read it; one that is restricted to folders or domains gets the counts of what it reaches: links, folders and domains.',
      response: { 200: organizationSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em }) => show(em, actor),
  });

  app.patch('/organization', {
    config: { access: { resource: 'apiKeys', action: 'update' } },
    schema: {
      operationId: 'updateOrganization',
      summary: "Change the caller's organization",
      description:
        'Owners and admins may, and their keys with the permission for API keys. In force at every edge within a second.',
      body: patchOrganizationSchema,
      response: { 200: organizationSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, body: { name, threatPolicy }, em }) => {
      const { organizationId } = actor;
      const before = await em.getRepository(Organization).get(organizationId);
      const details = {
        ...(name !== undefined && name !== before.name && { name }),
        ...(threatPolicy !== undefined && threatPolicy !== before.threatPolicy && { threatPolicy }),
      };
      if (Object.keys(details).length > 0) {
        await em.transactional(async (em) => {
          await updateOrganization(em, organizationId, details);
          const change = { action: 'organization.updated', subjectId: organizationId, details };
          await recordChange(em, actor, change, clock());
        });
      }
      return show(em, actor);
    },
  });

  app.get('/organization/members', {
    config: { access: { resource: 'apiKeys', action: 'read' } },
    schema: {
      operationId: 'listMembers',
      summary: "List the people of the caller's organization",
      description:
        'Owners and admins may, and their keys with the permission for API keys. The first that joined comes first.',
      querystring: memberListQuerySchema,
      response: { 200: memberListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query }) => {
      const [members, count] = await em.getRepository(Membership).list(organizationId, query);
      return { count, data: members.map(presentMember) };
    },
  });

  app.patch('/organization/members/:id', {
    config: { access: { resource: 'apiKeys', action: 'update' }, confirmation: 'people with a second factor' },
    schema: {
      operationId: 'updateMember',
      summary: "Change a person's role",
      description:
        'Owners and admins may; only owners make and unmake owners, and one owner stays. The sessions of the person in this organization end, except the one that calls, and their key has the rights of the new role at once.',
      params: idParamsSchema,
      body: patchMemberSchema,
      response: { 200: memberSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id }, body: { role }, session }) => {
      if (role === undefined) return presentMember(await findMember(em, actor.organizationId, id));
      const options = { now: clock(), keepSessionId: session?.id };
      return presentMember(await em.transactional((em) => changeRole(em, actor, { userId: id, role }, options)));
    },
  });

  app.delete('/organization/members/:id', {
    config: { access: { resource: 'apiKeys', action: 'delete' }, confirmation: 'people with a second factor' },
    schema: {
      operationId: 'removeMember',
      summary: 'Remove a person from the organization',
      description:
        'Owners and admins may; only owners remove owners. The key, the sessions and the open invitations of the person in this organization end at once; what they made stays. You leave by POST /auth/organization/leave.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404), 409: errorSchema.describe('The caller.') },
    },
    handler: async ({ actor, em, params: { id } }) => {
      await em.transactional((em) => expelMember(em, actor, id, clock()));
      return { rowCount: 1 };
    },
  });
};

async function findMember(em: EntityManager, organizationId: string, id: string): Promise<Membership> {
  const member = await em.getRepository(Membership).findMember(organizationId, id);
  if (member === null) throw new AppError('NOT_FOUND', 'This user is not a member of the organization.');
  return member;
}

async function show(em: EntityManager, { organizationId, reach }: Actor): Promise<OrganizationAnswer> {
  const organizations = em.getRepository(Organization);
  const { id, name, plan, threatPolicy } = await organizations.get(organizationId);
  const usage = reach === undefined ? organizations.usage(id) : organizations.usageWithin(id, reach);
  return { id, name, plan, threatPolicy, quotas: { ...plans[plan] }, usage: await usage };
}
