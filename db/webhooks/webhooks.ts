import { type Loaded, raw } from '@mikro-orm/postgresql';
import { failingFrom } from '#core/webhooks/standing.ts';
import { type CursorPaging, containing, olderThan } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Webhook } from '#db/entities/webhooks.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

/** Webhooks of all organizations: `em.getRepository(Webhook)`. No read but `findWithSecret` has sealed secrets. */
export class WebhookRepository extends Repository<Webhook> {
  /** Lists an organization's webhooks, the most recent first, and one more than `limit` where a page follows. */
  list(organizationId: string, paging: CursorPaging): Promise<[Webhook[], number]> {
    const orderBy = { createdAt: 'desc', id: 'desc' } as const;
    const { after } = paging;
    return this.findPage({}, paging, after && olderThan(after), { filters: { tenant: { organizationId } }, orderBy });
  }

  /** Lists webhooks for the staff, with their organizations, the most recent first; `search` finds addresses, names and organizations. */
  listAll({
    organizationId,
    cursor,
    search,
    limit,
    isFailing,
  }: StaffListQuery & { isFailing?: boolean | undefined }): Promise<Loaded<Webhook, 'organization'>[]> {
    const pattern = { $ilike: containing(search ?? '') };
    return this.find(
      {
        // A deletion removes the rows of a deleted organization.
        organization: { deletedAt: null, ...(organizationId !== undefined && { id: organizationId }) },
        ...(cursor !== undefined && { id: { $lt: cursor } }),
        ...(search !== undefined && {
          $or: [{ url: pattern }, { name: pattern }, { organization: { name: pattern } }],
        }),
        ...(isFailing !== undefined && {
          isActive: true,
          consecutiveFailures: { [isFailing ? '$gte' : '$lt']: failingFrom },
        }),
      },
      { orderBy: { id: 'desc' }, limit, populate: ['organization'] },
    );
  }

  /** Reads a live webhook with its sealed secret. */
  findWithSecret(id: string): Promise<Webhook | null> {
    return this.findOne({ id }, { populate: ['secretSealed'] });
  }

  /** Makes the next probe of a failing webhook due now. */
  async probeNow(id: string): Promise<void> {
    await this.nativeUpdate({ id, nextProbeAt: { $gt: raw('now()') } }, { nextProbeAt: raw('now()') });
  }
}
