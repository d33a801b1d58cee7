import { validate } from 'uuid';
import type { DeliveredType } from '#core/webhooks/events.ts';
import type { DeliveryStatus } from '#core/webhooks/standing.ts';
import type { CursorPaging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Delivery } from '#db/entities/webhooks.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

/** Which deliveries of a webhook are listed; undefined fields let all pass. */
interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  type?: DeliveredType | undefined;
  eventId?: string | undefined;
  /** The link that the event is about. */
  linkId?: string | undefined;
  /** The status of the last answer. */
  code?: number | undefined;
  /** Made at this moment or later. */
  since?: Date | undefined;
  /** Made before this moment. */
  until?: Date | undefined;
}

// Some 50 ms of reading.
const mostCounted = 100_000;

export type DeliverySummary = Awaited<ReturnType<DeliveryRepository['summarize']>>;

/** Deliveries of all webhooks: `em.getRepository(Delivery)`. Pumps claim and record them by statements of their own. */
export class DeliveryRepository extends Repository<Delivery> {
  /** Lists the deliveries of a webhook, the most recent first, and one more than `limit` where a page follows. */
  list(
    webhookId: string,
    { limit, page, after, ...filter }: CursorPaging & DeliveryFilter,
  ): Promise<[Delivery[], number]> {
    const { status, type, eventId, linkId, code, since, until } = filter;
    return this.findPage(
      {
        webhookId,
        ...(status !== undefined && { status }),
        ...(type !== undefined && { type }),
        ...(code !== undefined && { responseCode: code }),
        ...(eventId !== undefined && { event: eventId }),
        ...(linkId !== undefined && { event: { linkId, ...(eventId !== undefined && { id: eventId }) } }),
        ...((since ?? until) !== undefined && {
          createdAt: { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lt: until }) },
        }),
      },
      { limit, page, after },
      after && { id: { $lt: after.id } },
      { orderBy: { id: 'desc' } },
    );
  }

  /** Lists the deliveries of a webhook for the staff, the most recent first; `search` is a status, a type or an event's id. */
  listAfter(webhookId: string, { cursor, search, limit }: StaffListQuery): Promise<Delivery[]> {
    const term = search?.toLowerCase();
    return this.find(
      {
        webhookId,
        ...(cursor !== undefined && { id: { $lt: cursor } }),
        ...(term !== undefined && {
          $or: [
            { status: term as DeliveryStatus },
            { type: term as DeliveredType },
            ...(validate(term) ? [{ event: term }] : []),
          ],
        }),
      },
      { orderBy: { id: 'desc' }, limit },
    );
  }

  /**
   * Counts the latest deliveries of a webhook, at most `mostCounted` of them: all that wait or are held, and those delivered and failed
   * since a moment. `nextDueAt`: when the next of all goes out; null: none waits.
   */
  async summarize(webhookId: string, since: Date) {
    const latest = this.kysely
      .selectFrom('Delivery')
      .select(['status', 'createdAt'])
      .where('webhookId', '=', webhookId)
      .orderBy('id', 'desc')
      .limit(mostCounted);
    const counts = await this.kysely
      .selectFrom(latest.as('d'))
      .select(({ fn }) => [
        'd.status',
        fn.countAll<number>().as('all'),
        fn.countAll<number>().filterWhere('d.createdAt', '>=', since).as('recent'),
      ])
      .groupBy('d.status')
      .execute();
    const next = await this.findOne(
      { webhookId, status: 'pending', dueAt: { $ne: null } },
      { orderBy: { dueAt: 'asc' }, fields: ['dueAt'] },
    );
    const of = (status: DeliveryStatus) => counts.find((row) => row.status === status) ?? { all: 0, recent: 0 };
    return {
      waiting: of('pending').all,
      held: of('held').all,
      delivered: of('delivered').recent,
      failed: of('failed').recent,
      nextDueAt: next?.dueAt ?? null,
    };
  }

  /** Holds the pending deliveries of a webhook that is off or deleted: they go out only when they are asked for again. */
  async holdPending(webhookId: string): Promise<void> {
    await this.nativeUpdate({ webhookId, status: 'pending' }, { status: 'held', dueAt: null, isUrgent: false });
  }
}
