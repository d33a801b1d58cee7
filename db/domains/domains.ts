import type { Loaded } from '@mikro-orm/core';
import { containing, offsetOf, type Paging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Domain } from '#db/entities/domains.ts';

/** Domains of all organizations and of the platform, read with their QR templates: `em.getRepository(Domain)`. */
export class DomainRepository extends Repository<Domain> {
  /** Reads a live domain. */
  read(id: string): Promise<Domain | null> {
    return this.findOne({ id }, { populate: ['qrCode'] });
  }

  /** Reads a live domain with what its last check found. */
  readDns(id: string): Promise<Loaded<Domain, 'dns'> | null> {
    return this.findOne({ id }, { populate: ['dns'] });
  }

  /**
   * Lists an organization's domains by their date of creation.
   * @param query `search`: terms, one of which a name must contain; empty: every domain. `among`: only domains with these ids; null:
   * all.
   */
  list(
    organizationId: string,
    { search, among, ...paging }: Paging & { search: readonly string[]; among: readonly string[] | null },
  ): Promise<[Domain[], number]> {
    const named = search.map((term) => ({ domain: { $like: containing(term) } }));
    const wanted = {
      ...(named.length > 0 && { $or: named }),
      ...(among !== null && { id: { $in: [...among] } }),
    };
    return this.findAndCount(wanted, {
      filters: { tenant: { organizationId } },
      populate: ['qrCode'],
      orderBy: { createdAt: 'asc', id: 'asc' },
      ...offsetOf(paging),
    });
  }

  /** Lists all domains that an organization's links may be on: the primary one, its others by date, the platform's. */
  async listUsable(organizationId: string): Promise<Domain[]> {
    const usable = { $or: [{ organization: organizationId }, { organization: null, isActive: true }] };
    const found = await this.find(usable, { orderBy: { createdAt: 'asc', id: 'asc' } });
    const rank = ({ isPrimary, organization }: Domain): number => (isPrimary ? 0 : organization === null ? 2 : 1);
    return found.toSorted((one, other) => rank(one) - rank(other));
  }

  /** Takes the primary role away from the organization's domain that has it. */
  async clearPrimary(organizationId: string, now: Date): Promise<void> {
    const primary = await this.findOne({ organization: organizationId, isPrimary: true });
    if (primary === null) return;
    primary.isPrimary = false;
    primary.touch(now);
    // Before another domain gets the role: the index allows one.
    await this.em.flush();
  }

  /** Gives the primary role to the oldest verified domain of an organization, unless one has it. */
  async passPrimary(organizationId: string, now: Date): Promise<void> {
    if ((await this.count({ organization: organizationId, isPrimary: true })) > 0) return;
    const verified = { organization: organizationId, isVerified: true };
    const oldest = await this.findOne(verified, { orderBy: { createdAt: 'asc', id: 'asc' } });
    if (oldest === null) return;
    oldest.isPrimary = true;
    oldest.touch(now);
    await this.em.flush();
  }
}
