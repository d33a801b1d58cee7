import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { setThreatPolicy } from '#commands/organizations/organizations.ts';
import { plans } from '#core/organizations/plans.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Organization } from '#db/entities/people.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { errorResponses } from '#api/schemas.ts';
import { type OrganizationAnswer, organizationSchema, patchOrganizationSchema } from './schema.ts';

const tags = ['Organization'];

/** The caller's own organization (13.6). */
export const organizationRoutes: FastifyPluginAsyncZod<ApiDependencies> = async (app) => {
  app.get(
    '/organization',
    {
      config: { access: 'any permission' },
      schema: {
        tags,
        operationId: 'getOrganization',
        summary: "Read the caller's organization",
        description: 'With the quotas of its plan, and what counts against them. Every key may read it.',
        response: { 200: organizationSchema, ...errorResponses(400) },
      },
    },
    async ({ actor: { organizationId }, em }) => show(em, organizationId),
  );

  app.patch(
    '/organization',
    {
      config: { access: { resource: 'apiKeys', action: 'update' } },
      schema: {
        tags,
        operationId: 'updateOrganization',
        summary: "Change the caller's organization",
        description:
          'Owners and admins may, and their keys with the permission for API keys. In force at every edge within a second.',
        body: patchOrganizationSchema,
        response: { 200: organizationSchema, ...errorResponses(400) },
      },
    },
    async ({ actor: { organizationId }, body: { threatPolicy }, em }) => {
      if (threatPolicy !== undefined) await em.transactional((em) => setThreatPolicy(em, organizationId, threatPolicy));
      return show(em, organizationId);
    },
  );
};

async function show(em: EntityManager, organizationId: string): Promise<OrganizationAnswer> {
  const organizations = em.getRepository(Organization);
  const { id, name, plan, threatPolicy } = await organizations.get(organizationId);
  return { id, name, plan, threatPolicy, quotas: { ...plans[plan] }, usage: await organizations.usage(id) };
}
