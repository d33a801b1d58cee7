import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { beforeEach } from 'vitest';
import { redeliver } from '#commands/webhooks/sends.ts';
import type { PumpOptions, PumpProgress } from '#activities/webhooks/pump.ts';
import type { Attempt, Send } from '#activities/webhooks/send.ts';
import type { Sql } from '#db/connection/database.ts';
import { readNextDue } from '#db/webhooks/deliveries/sending.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOwnedOrganization } from '#test/support/people.ts';
import { pumpDue } from '#test/support/pumps.ts';
import { insertRow } from '#test/support/rows.ts';
import { useTestDatabase } from '#test/support/stack.ts';

/** Gaps of the schedule. */
export const gapsMs = [300, 600, 900, 1_200, 1_500];
/** Gaps before probes. */
export const probeDelaysMs = [300, 600, 900];
/** A minute in milliseconds. */
export const minuteMs = 60_000;
/** An attempt that was answered. */
export const answered = (code: number): Attempt => ({
  isDelivered: code < 300,
  isGone: code === 410,
  isGivenUp: false,
  at: new Date(),
  code,
  durationMs: 1,
  body: '',
  error: null,
  errorCode: null,
  retryAfterMs: undefined,
});

/** A `send` without a network. `sent`: ids of deliveries; `most`: the most at a time. */
export function sender(answer: (id: string, count: number) => Attempt | Promise<Attempt>) {
  const sent: string[] = [];
  let open = 0;
  let most = 0;
  const send: Send = async (_webhook, { id }) => {
    const number = sent.push(id);
    most = Math.max(most, (open += 1));
    await setTimeout(1);
    const attempt = await answer(id, number);
    open -= 1;
    return attempt;
  };
  return { send, sent, most: () => most };
}

/** A webhook for each test, without a worker or receivers. */
export function createFixture() {
  const db = useTestDatabase();
  let organizationId: string;
  let webhookId: string;
  const notifications = new EventEmitter();
  async function renew(): Promise<void> {
    organizationId = (await createOwnedOrganization(db)).id;
    webhookId = (await insertRow(db, 'webhooks', { organization_id: organizationId, url: 'https://a.example/' })).id;
  }
  beforeEach(renew);

  /** Inserts due deliveries. @returns their ids, oldest first. */
  async function add(count: number, { tries = 0, urgent = false } = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1)
      ids.push((await createDelivery(db, webhookId, { tries, attempts: tries, is_urgent: urgent })).id);
    return ids;
  }
  async function fail(times: number, nextProbeInMs: number | null): Promise<void> {
    await db.query(
      `update webhooks set consecutive_failures = $2, next_probe_at = now() + $3 * interval '1 millisecond' where id = $1`,
      [webhookId, times, nextProbeInMs],
    );
  }
  function pump(send: Send, options: Partial<PumpOptions> = {}): Promise<PumpProgress> {
    return pumpDue({
      sql: db,
      webhookId,
      send,
      open: () => ({ url: 'https://a.example/', secrets: { current: '', previous: undefined }, headers: [] }),
      probeDelaysMs,
      gapsMs,
      notifications,
      ...options,
    });
  }
  async function rows() {
    return (
      await db.query<{
        id: string;
        status: string;
        tries: number;
        attempts: number;
        claim: string | null;
        inMs: number;
      }>(
        `select id, status, tries, attempts, claim, (extract(epoch from due_at - now()) * 1000)::float8 as "inMs" from deliveries where webhook_id = $1 order by id`,
        [webhookId],
      )
    ).rows;
  }
  async function hook() {
    return (
      await db.query<{ failures: number; isActive: boolean; probeInMs: number | null }>(
        `select consecutive_failures as failures, is_active as "isActive",
         (extract(epoch from next_probe_at - now()) * 1000)::float8 as "probeInMs" from webhooks where id = $1`,
        [webhookId],
      )
    ).rows[0]!;
  }

  return {
    add,
    fail,
    /** Asks for a delivery again, as the API does. */
    ask: (id: string) => emOf(db).transactional((em) => redeliver(em, 'staff', webhookId, id)),
    /** Tells the pump at work of further deliveries. */
    notify: () => void notifications.emit(webhookId),
    pump,
    /** Goes on with another webhook. */
    renew,
    rows,
    hook,
    nextDue: async () => (await readNextDue(db, webhookId))!,
    /** Changes the webhook, by an SQL assignment. */
    change: (assignment: string) => db.query(`update webhooks set ${assignment} where id = $1`, [webhookId]),
    /** Changes its organization. */
    changeOrganization: (assignment: string) =>
      db.query(`update organizations set ${assignment} where id = $1`, [organizationId]),
    /** A database that runs no statements of that name. */
    broken(name: string): Sql {
      const refuse = () => Promise.reject(new Error('away'));
      return { query: (query) => (typeof query !== 'string' && query.name === name ? refuse() : db.query(query)) };
    },
  };
}
