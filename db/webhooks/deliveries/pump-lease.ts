import type { Sql } from '#db/connection/database.ts';

/**
 * How long a pump holds its webhook after it last read it, in milliseconds: it begins no request on what took more than 5 s to
 * read (`longestReadMs` of the pump), a request takes at most 30 s (6.4), and one second is a margin.
 */
export const pumpLeaseMs = 36_000;

export interface PumpLease {
  webhookId: string;
  /** No other pump ever has it: it fences off statements of an earlier pump. */
  pumpId: string;
}

/**
 * Makes a pump the one that may claim deliveries of its webhook, and releases those of the pump before. An earlier pump that has not
 * ended keeps the webhook until its lease is over: requests of it may be open.
 * @returns since when no pump has read the webhook, in milliseconds (Infinity: none ever has); `held` by an earlier pump; undefined
 * where there is no such webhook.
 */
// By hand: every pump begins with it (bench row W1).
export async function takePumpLease(
  sql: Sql,
  { webhookId, pumpId }: PumpLease,
): Promise<{ idleMs: number } | 'held' | undefined> {
  const { rows } = await sql.query<{ isTaken: boolean; idleMs: number | null }>({
    name: 'webhook_pump_take',
    text: `
      with hook as materialized (
        select id, looked_at, pump is null or looked_at < now() - ${pumpLeaseMs} * interval '1 millisecond' as is_free
        from webhooks where id = $1 for no key update
      ), released as (
        update deliveries d set claim = null, tries = greatest(d.tries, 0) from hook h
        where h.is_free and d.webhook_id = h.id and d.claim is not null
      ), taken as (
        update webhooks w set pump = $2, looked_at = now() from hook h where h.is_free and w.id = h.id
      )
      select is_free as "isTaken", (extract(epoch from now() - looked_at) * 1000)::float8 as "idleMs" from hook`,
    values: [webhookId, pumpId],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  return row.isTaken ? { idleMs: row.idleMs ?? Infinity } : 'held';
}

/**
 * Ends a pump, and releases the deliveries that it has not sent. Deliveries that fall due from here on need a wake-up of the
 * workflow, or its next pump.
 */
// By hand: every pump ends with it (bench row W1).
export async function endPumpLease(sql: Sql, { webhookId, pumpId }: PumpLease): Promise<void> {
  await sql.query({
    name: 'webhook_pump_end',
    text: `
      with hook as materialized (
        update webhooks set is_pumping = false, pump = null where id = $1 and pump = $2 returning id
      )
      update deliveries d set claim = null, tries = greatest(d.tries, 0) from hook h
      where d.webhook_id = h.id and d.claim = $2`,
    values: [webhookId, pumpId],
  });
}
