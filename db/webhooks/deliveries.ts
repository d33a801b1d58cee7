import { v7 as uuidv7, validate } from 'uuid';
import type { DeliveredType } from '#core/webhooks/events.ts';
import type { DeliveryStatus } from '#core/webhooks/standing.ts';
import { offsetOf, type Paging } from '#db/connection/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { Delivery } from '#db/entities/webhooks.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

/** Deliveries of all webhooks: `em.getRepository(Delivery)`. Pumps claim and record them by statements of their own. */
export class DeliveryRepository extends Repository<Delivery> {
  /** Makes a delivery that goes out at once, to be flushed. */
  addUrgent(fields: { webhookId: string; event: string; type: DeliveredType }, now: Date): Delivery {
    const delivery = this.create({ id: uuidv7(), ...fields, createdAt: now });
    delivery.sendNow();
    return delivery;
  }

  /** Lists the deliveries of a webhook, the most recent first. */
  list({
    webhookId,
    status,
    type,
    ...paging
  }: Paging & {
    webhookId: string;
    status?: DeliveryStatus | undefined;
    type?: DeliveredType | undefined;
  }): Promise<[Delivery[], number]> {
    const where = { webhookId, ...(status !== undefined && { status }), ...(type !== undefined && { type }) };
    return this.findAndCount(where, { orderBy: { id: 'desc' }, ...offsetOf(paging) });
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
