import { v7 as uuidv7, validate } from 'uuid';
import type { DeliveredType } from '#core/webhooks/events.ts';
import type { DeliveryStatus } from '#core/webhooks/standing.ts';
import { offsetOf, type Paging } from '#db/connection/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Delivery } from '#db/entities/webhooks.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

/** Which deliveries of a webhook are listed; undefined fields let all pass. */
export interface DeliveryFilter {
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

/** Deliveries of all webhooks: `em.getRepository(Delivery)`. Pumps claim and record them by statements of their own. */
export class DeliveryRepository extends Repository<Delivery> {
  /** Makes a delivery that goes out at once, to be flushed. */
  addUrgent(fields: { webhookId: string; event: string; type: DeliveredType }, now: Date): Delivery {
    const delivery = this.create({ id: uuidv7(), ...fields, createdAt: now });
    delivery.sendNow();
    return delivery;
  }

  /** Lists the deliveries of a webhook, the most recent first. */
  list(webhookId: string, { limit, page, ...filter }: Paging & DeliveryFilter): Promise<[Delivery[], number]> {
    const { status, type, eventId, linkId, code, since, until } = filter;
    return this.findAndCount(
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
      { orderBy: { id: 'desc' }, ...offsetOf({ limit, page }) },
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

  /** Holds the pending deliveries of a webhook that is off: they go out only when they are asked for again (6.5). */
  async holdPending(webhookId: string): Promise<void> {
    await this.nativeUpdate({ webhookId, status: 'pending' }, { status: 'held', dueAt: null, isUrgent: false });
  }
}
