import { v7 as uuidv7 } from 'uuid';
import { beforeEach } from 'vitest';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { type DeliveredType, type EventType } from '#core/webhooks/events.ts';
import { anyEvent } from '#test/support/events.ts';
import type { Database } from '#db/connection/database.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { insertRow, secondsAgo } from '#test/support/rows.ts';
import { useTestDatabase } from '#test/support/stack.ts';

/** Columns of a test webhook; defaults where absent. */
export interface HookOptions {
  owner?: string;
  events?: EventType[];
  isActive?: boolean;
  isDeleted?: boolean;
}

/** A delivery as tests compare it. */
export interface DeliveryRow {
  id: string;
  eventId: string;
  status: string;
  type: string;
  tries: number;
}

/** Database, empty before each test, and an organization for tests of webhooks in the relay. */
export interface Fixture {
  readonly db: Database;
  readonly organization: TestOrganization;
  /** Makes a webhook, an hour old. @returns its id. */
  hook(options?: HookOptions): Promise<string>;
  /** Writes events as commands do. @returns their ids, oldest first. */
  write(count: number, options?: { type?: DeliveredType; owner?: string; agoMs?: number }): Promise<string[]>;
  /** Ids of the events that wait for the fan-out. */
  queued(): Promise<string[]>;
  /** A webhook's deliveries, by the age of their events. */
  deliveries(webhookId: string): Promise<DeliveryRow[]>;
  /** The events of a webhook's deliveries. */
  eventIds(webhookId: string): Promise<string[]>;
  /** Gives all deliveries of an event a status. */
  set(eventId: string, status: string): Promise<void>;
}

/** Registers the set-up and the tear-down with the calling test file. */
export function createFixture(): Fixture {
  const db = useTestDatabase();
  let organization: TestOrganization;
  beforeEach(async () => {
    await db.query('truncate event_queue, events, deliveries, delivery_attempts, outbox, webhook_recoveries, webhooks');
    organization = await createOrganization(db);
  });

  const deliveries = async (webhookId: string): Promise<DeliveryRow[]> => {
    const { rows } = await db.query<DeliveryRow>(
      `select id, event_id as "eventId", status, type, tries from deliveries where webhook_id = $1 order by event_id`,
      [webhookId],
    );
    return rows;
  };

  return {
    db,
    get organization() {
      return organization;
    },
    async hook({ owner = organization.id, events = ['link.created'], isActive = true, isDeleted = false } = {}) {
      const { id } = await insertRow(db, 'webhooks', {
        organization_id: owner,
        events,
        is_active: isActive,
        created_at: secondsAgo(3_600),
        deleted_at: isDeleted ? new Date() : null,
      });
      return id as string;
    },
    async write(count, { type = 'link.created', owner = organization.id, agoMs = 0 } = {}) {
      const events = Array.from({ length: count }, () =>
        anyEvent(type, { organizationId: owner, linkId: uuidv7(), data: {}, now: new Date(Date.now() - agoMs) }),
      );
      await insertEvents(db, events);
      return events.map(({ id }) => id);
    },
    async queued() {
      const { rows } = await db.query<{ id: string }>('select event_id as id from event_queue order by 1');
      return rows.map(({ id }) => id);
    },
    deliveries,
    eventIds: async (webhookId) => (await deliveries(webhookId)).map(({ eventId }) => eventId),
    async set(eventId, status) {
      await db.query('update deliveries set status = $2, due_at = null where event_id = $1', [eventId, status]);
    },
  };
}
