import { AppError } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { listAllDomains } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { createDomainChecker } from '#api/domain/checker.ts';
import { presentChecked } from '#api/domain/presenter.ts';
import { operating, reading, router } from '#api/staff/context.ts';
import { idInput, listInput, readPage } from '#api/staff/inputs.ts';

export const domainTools = (deps: ApiDependencies) => {
  const checkDomain = createDomainChecker(deps);

  /** @throws AppError NOT_FOUND; FORBIDDEN for a platform domain. */
  async function readOwned(em: EntityManager, id: string): Promise<{ domain: Domain; organizationId: string }> {
    const domain = await em.getRepository(Domain).read(id);
    if (domain === null) throw new AppError('NOT_FOUND', 'This domain does not exist.');
    if (!domain.organization) throw new AppError('FORBIDDEN', 'This domain belongs to the platform.');
    return { domain, organizationId: domain.organization.id };
  }

  return router({
    list: reading
      .input(listInput)
      .query(({ ctx, input }) =>
        readPage(input, (query) => listAllDomains(ctx.em, query), { present, cursorOf: ({ id }) => id }),
      ),

    /** Checks a domain's DNS records now. */
    check: operating.input(idInput).mutation(async ({ ctx, input: { id } }) => {
      const { domain: found, organizationId } = await readOwned(ctx.em, id);
      const { domain, txtRecord } = found;
      // Audited first: the check runs in the domain's workflow, and may outlive this call.
      await ctx.change(async () => ({ answer: null, organizationId, subjectId: id, details: { domain } }));
      const finished = await checkDomain({ id, organizationId, domain, txtRecord });
      return presentChecked((await readOwned(ctx.em.fork(), id)).domain, finished);
    }),
  });
};

function present(listed: Domain) {
  const { id, organization, domain, isActive, isVerified, isPrimary, lastCheckedAt, createdAt } = listed;
  return {
    id,
    organizationId: organization?.id ?? null,
    domain,
    isActive,
    isVerified,
    isPrimary,
    lastCheckedAt: lastCheckedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
