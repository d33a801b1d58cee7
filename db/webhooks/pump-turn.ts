import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Sql } from '#db/connection/database.ts';

/** Why a pump may not begin: another one is at work; a newer one wants to begin; the webhook is not there. */
export type PumpTurn =
  | { state: 'taken' }
  /** Who is at work; `isOwnProcess`: in this process. */
  | { state: 'waiting'; pump: string; isOwnProcess: boolean }
  | { state: 'superseded' }
  | { state: 'missing' };

/** Who wants to send the deliveries of a webhook. */
export interface PumpClaim {
  webhookId: string;
  /** The pump's name, another one than any earlier pump's. */
  claim: string;
  /** The process's number (`holdPumpLock`); null: it counts as dead as soon as another pump wants to begin. */
  processId: number | null;
  /** A pump that is known to have ended, whatever its row says. */
  endedPump?: string | undefined;
}

/**
 * How long a pump may have requests under way after its last look, in milliseconds: it begins none on a look that is older
 * than 5 s (`longestLookMs` in `core/webhooks/pump`), each takes 30 s at most (6.4), and a second is to spare.
 */
export const pumpEndsAfterMs = 36_000;

/**
 * Makes a pump the one that sends to its webhook, and frees what the one before held. While that one is at work, the caller
 * is noted as the next: the one at work begins no further request and ends. A pump counts as at work until it says that it
 * has ended, its process dies, or no request of it can be under way any more.
 * @param isFirst whether the caller asks for the first time; later it gives way to a pump that has asked after it.
 */
export async function takePumpTurn(
  sql: Sql,
  { webhookId, claim, processId, endedPump = '' }: PumpClaim,
  isFirst: boolean,
): Promise<PumpTurn> {
  const { rows } = await sql.query<{ pump: string | null; process: number | null; next: string | null }>({
    name: 'webhook_pump_turn',
    text: `
      with hook as materialized (
        select id, pump, looked_at, pump_process, case
          when not $5 and next_pump is distinct from $2 then false
          when pump is null or pump in ($2, $4) or pump_process is null or looked_at is null then true
          when looked_at < now() - interval '${pumpEndsAfterMs} milliseconds' then true
          -- Whoever gets the lock learns that its holder is dead; it is given back at the end of the statement.
          else pg_try_advisory_xact_lock_shared(${pumpLockClass}, pump_process) end as is_free
        from webhooks where id = $1 for no key update
      ), freed as (
        update deliveries d set claim = null, tries = greatest(d.tries, 0) from hook h
        where h.is_free and d.webhook_id = h.id and d.claim is not null and d.claim <> $2
      )
      update webhooks w set
        pump = case when h.is_free then $2 else w.pump end,
        pump_process = case when h.is_free then $3 else w.pump_process end,
        looked_at = case when h.is_free then now() else w.looked_at end,
        next_pump = case when h.is_free then null when $5 then $2 else w.next_pump end
      from hook h where w.id = h.id
      returning w.pump, w.pump_process as process, w.next_pump as next`,
    values: [webhookId, claim, processId, endedPump, isFirst],
  });
  const row = rows[0];
  if (row === undefined) return { state: 'missing' };
  if (row.pump === claim) return { state: 'taken' };
  if (row.next !== claim) return { state: 'superseded' };
  return { state: 'waiting', pump: row.pump!, isOwnProcess: processId !== null && row.process === processId };
}

/**
 * Ends the turn of a pump, or its waiting for one: puts back what was taken and not sent, and says that nobody looks any more.
 * What is due from here on needs a wake-up, or a look after this.
 */
export async function endPumpTurn(sql: Sql, webhookId: string, claim: string): Promise<void> {
  await sql.query({
    name: 'webhook_pump_end',
    text: `
      with hook as materialized (
        update webhooks set
          is_pumping = case when pump = $2 then false else is_pumping end,
          pump = nullif(pump, $2),
          next_pump = nullif(next_pump, $2)
        where id = $1 returning id
      )
      update deliveries d set claim = null, tries = greatest(d.tries, 0) from hook h
      where d.webhook_id = h.id and d.claim = $2`,
    values: [webhookId, claim],
  });
}

/** The advisory locks by which processes show that they live: this class, and the process's number. */
export const pumpLockClass = 0x77_68_6b;

/** What shows other processes that this one lives. */
export interface PumpLock {
  /** The number of this process, which its pumps are noted with. */
  readonly processId: number;
  close(): Promise<void>;
}

/** Settings of `holdPumpLock`. */
export interface PumpLockOptions {
  url: string;
  log: { warn(details: { reason: string }, message: string): void };
  applicationName?: string;
}

const connectTimeoutMs = 3_000;
const retryEveryMs = 500;

/**
 * Holds an advisory lock on a connection of its own. PostgreSQL releases it when the process dies, and not while the process
 * is merely stopped: a pump elsewhere tells the two apart by it. A connection that is lost is opened again; returns after the
 * first attempt.
 */
export async function holdPumpLock({ url, log, applicationName = 'waymark' }: PumpLockOptions): Promise<PumpLock> {
  const processId = randomInt(1, 2 ** 31 - 1);
  const closing = new AbortController();
  let client: pg.Client | undefined;

  /** @returns what settles when the connection has ended, wrapped: a promise would be awaited by the caller. */
  async function connect(): Promise<{ ended: Promise<void> }> {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: `${applicationName} pump lock`,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    const ended = Promise.withResolvers<void>();
    fresh.once('end', ended.resolve);
    fresh.on('error', () => ended.resolve());
    try {
      await fresh.connect();
      await fresh.query('select pg_advisory_lock($1, $2)', [pumpLockClass, processId]);
    } catch (error) {
      void fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
    return { ended: ended.promise };
  }

  const first = Promise.withResolvers<void>();
  const running = (async () => {
    for (let isTold = false; !closing.signal.aborted;) {
      try {
        const { ended } = await connect();
        isTold = false;
        first.resolve();
        await ended;
      } catch (error) {
        if (!isTold)
          log.warn({ reason: (error as Error).message }, 'the lock that shows that this worker lives is lost');
        isTold = true;
        first.resolve();
        await setTimeout(retryEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  })();
  await first.promise;
  return {
    processId,
    async close() {
      closing.abort();
      await client?.end().catch(() => undefined);
      await running;
    },
  };
}
