import { AppError } from '#core/errors/errors.ts';
import type { Quota } from '#core/organizations/plans.ts';
import type { Reach } from '#core/organizations/reach.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Repository } from '#db/connection/repository.ts';
import { ApiKey, Membership, type Organization } from '#db/entities/accounts/people.ts';
import { Domain } from '#db/entities/domains.ts';
import { File } from '#db/entities/files.ts';
import { Folder, LinkTotal, Tag } from '#db/entities/links/links.ts';
import { Webhook } from '#db/entities/webhooks.ts';
import { countLinks } from '#db/links/list.ts';

type Usage = Record<Quota, number>;

export class OrganizationRepository extends Repository<Organization> {
  /** Reads a live organization, suspended ones too. @throws AppError NOT_FOUND. */
  async get(id: string): Promise<Organization> {
    // The caller may hold a lock that it took after an earlier read.
    const organization = await this.findOne({ id }, { refresh: true });
    if (organization === null) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
    return organization;
  }

  /** Counts what counts against an organization's plan: its default folder does not. */
  async usage(id: string): Promise<Usage> {
    const { em } = this;
    const own = { organization: id, deletedAt: null };
    const { shown: fileBytes } = await em.getRepository(File).sumBytes(id);
    return {
      shortLinks: await this.#countLinks(id),
      domains: await em.count(Domain, own),
      tags: await em.count(Tag, own),
      folders: await em.count(Folder, { ...own, isDefault: false }),
      webhooks: await em.count(Webhook, own),
      fileBytes,
    };
  }

  /** Counts what is within the reach of a restricted key: links, archived ones too, folders and domains. */
  async usageWithin(id: string, reach: Reach): Promise<Usage> {
    const em = this.em as EntityManager;
    const within = (ids: readonly string[] | null) => ({
      organization: id,
      deletedAt: null,
      ...(ids !== null && { id: { $in: [...ids] } }),
    });
    return {
      shortLinks: await countLinks(em, { organizationId: id, reach, archived: 'any' }),
      domains: await em.count(Domain, within(reach.domainIds)),
      tags: 0,
      folders: await em.count(Folder, within(reach.folderIds)),
      webhooks: 0,
      fileBytes: 0,
    };
  }

  async counts(id: string) {
    const { em } = this;
    const own = { organization: id, deletedAt: null };
    return {
      members: await em.count(Membership, { organization: id, user: { type: 'human', deletedAt: null } }),
      apiKeys: await em.count(ApiKey, own),
      shortLinks: await this.#countLinks(id),
      domains: await em.count(Domain, own),
      webhooks: await em.count(Webhook, own),
    };
  }

  async #countLinks(id: string): Promise<number> {
    const shards = await this.em.find(LinkTotal, { organizationId: id });
    return shards.reduce((sum, { links }) => sum + links, 0);
  }
}
