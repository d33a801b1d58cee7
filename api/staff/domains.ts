import { AppError } from '#core/errors/errors.ts';
import { readDomain } from '#db/domains/domains.ts';
import { listAllDomains, type StaffDomainRow } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { createDomainChecker } from '#api/domain/checker.ts';
import { type OwnDomain, presentChecked } from '#api/domain/presenter.ts';
import { changing, reading, router } from './context.ts';
import { idInput, listInput, readPage } from './inputs.ts';

/** Domains of all organizations and of the platform. */
export const domainTools = (deps: ApiDependencies) => {
  const { db } = deps;
  const checkDomain = createDomainChecker(deps);

  /** @throws AppError NOT_FOUND; FORBIDDEN for a platform domain. */
  async function readOwned(id: string): Promise<OwnDomain> {
    const domain = await readDomain(db, id);
    if (domain === undefined) throw new AppError('NOT_FOUND', 'This domain does not exist.');
    const { organizationId } = domain;
    if (organizationId === null) throw new AppError('FORBIDDEN', 'This domain belongs to the platform.');
    return { ...domain, organizationId };
  }

  return router({
    list: reading
      .input(listInput)
      .query(({ input }) =>
        readPage(input, (query) => listAllDomains(db, query), { present, cursorOf: ({ id }) => id }),
      ),

    /** Checks a domain's DNS records now. */
    check: changing.input(idInput).mutation(async ({ ctx, input: { id } }) => {
      const domain = await readOwned(id);
      const { organizationId, domain: name } = domain;
      // Audited first: the check runs in the domain's workflow, and may outlive this call.
      await ctx.change(async () => ({ answer: null, organizationId, subjectId: id, details: { domain: name } }));
      const finished = await checkDomain(domain);
      return presentChecked(await readOwned(id), finished);
    }),
  });
};

function present({ lastCheckedAt, createdAt, ...domain }: StaffDomainRow) {
  return {
    ...domain,
    lastCheckedAt: lastCheckedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
