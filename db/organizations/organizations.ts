import { AppError } from '#core/errors/errors.ts';
import { Repository } from '#db/connection/repository.ts';
import { ApiKey, Membership, type Organization } from '#db/entities/people.ts';
import { Domain } from '#db/entities/domains.ts';
import { LinkTotal } from '#db/entities/links.ts';
import { Webhook } from '#db/entities/webhooks.ts';

/** Counts of an organization's rows. */
interface OrganizationCounts {
  members: number;
  apiKeys: number;
  shortLinks: number;
  domains: number;
  webhooks: number;
}

/** Organizations: `em.getRepository(Organization)`. */
export class OrganizationRepository extends Repository<Organization> {
  /** Reads a live organization, suspended ones too. @throws AppError NOT_FOUND. */
  async get(id: string): Promise<Organization> {
    // The caller may hold a lock that it took after an earlier read.
    const organization = await this.findOne({ id }, { refresh: true });
    if (organization === null) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
    return organization;
  }

  /** Counts an organization's members, keys, links, domains and webhooks. */
  async counts(id: string): Promise<OrganizationCounts> {
    const { em } = this;
    const own = { organization: id, deletedAt: null };
    const shards = await em.find(LinkTotal, { organizationId: id });
    return {
      members: await em.count(Membership, { organization: id, user: { type: 'human', deletedAt: null } }),
      apiKeys: await em.count(ApiKey, own),
      shortLinks: shards.reduce((sum, { links }) => sum + links, 0),
      domains: await em.count(Domain, own),
      webhooks: await em.count(Webhook, own),
    };
  }
}
