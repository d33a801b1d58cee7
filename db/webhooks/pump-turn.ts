import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Sql } from '#db/connection/database.ts';

/** `waiting`: another pump is at work; `superseded`: a newer pump waits; `missing`: there is no such webhook. */
export type PumpTurn =
  /** `idleMs`: since a pump last read or recorded; Infinity: none ever has. */
  | { state: 'taken'; idleMs: number }
  /** `pump`: the name of the pump at work; `isOwnProcess`: it runs in this process. */
  | { state: 'waiting'; pump: string; isOwnProcess: boolean }
  | { state: 'superseded' }
  | { state: 'missing' };

/** A pump that asks for its turn. */
export interface PumpClaim {
  webhookId: string;
  /** The pump's name; no other pump ever has it. */
  claim: string;
  /** The process's number (`holdPumpLock`); null: the pump counts as dead as soon as another one asks for its turn. */
  processId: number | null;
  /** Name of a pump that has ended, although the webhook's row says that it is at work. */
  endedPump?: string | undefined;
}

/**
 * How long a pump may have requests under way after it last read the webhook, in milliseconds: it begins none after 5 s
 * (`longestLookMs` in `core/webhooks/pump`), a request takes at most 30 s (6.4), and one second is a margin.
 */
export const pumpEndsAfterMs = 36_000;

/**
 * Gives a pump the turn to send to its webhook, and releases the deliveries of the pump before. While another pump is at work the
 * caller becomes the next one, so that the pump at work begins no more requests and ends. A pump is at work until `endPumpTurn`,
 * until its process dies, or until none of its requests can be under way (`pumpEndsAfterMs`).
 * @param isFirst true when the caller asks for the first time; later it yields to a pump that has asked after it.
 */
// By hand: every pump begins with it, and its locks decide whose turn it is (bench row W1).
export async function takePumpTurn(
  sql: Sql,
  { webhookId, claim, processId, endedPump = '' }: PumpClaim,
  isFirst: boolean,
): Promise<PumpTurn> {
  const { rows } = await sql.query<{
    pump: string | null;
    process: number | null;
    next: string | null;
    idleMs: number | null;
  }>({
    name: 'webhook_pump_turn',
    text: `
      with hook as materialized (
        select id, pump, looked_at, pump_process, case
          when not $5 and next_pump is distinct from $2 then false
          when pump is null or pump in ($2, $4) or pump_process is null or looked_at is null then true
          when looked_at < now() - interval '${pumpEndsAfterMs} milliseconds' then true
          -- The process holds this lock while it lives. It is released at the end of the statement.
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
      returning w.pump, w.pump_process as process, w.next_pump as next,
        (extract(epoch from now() - h.looked_at) * 1000)::float8 as "idleMs"`,
    values: [webhookId, claim, processId, endedPump, isFirst],
  });
  const row = rows[0];
  if (row === undefined) return { state: 'missing' };
  if (row.pump === claim) return { state: 'taken', idleMs: row.idleMs ?? Infinity };
  if (row.next !== claim) return { state: 'superseded' };
  return { state: 'waiting', pump: row.pump!, isOwnProcess: processId !== null && row.process === processId };
}

/**
 * Ends the turn of a pump, or its wait for one, and releases the deliveries that it has not sent. Deliveries that fall due from
 * here on need a wake-up of the workflow, or its next pump.
 */
// By hand: every pump ends with it (bench row W1).
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

/** Class of the advisory locks that live worker processes hold; the second key is the process's number. */
export const pumpLockClass = 0x77_68_6b;

/** The proof, for other processes, that this one lives. */
export interface PumpLock {
  /** The number of this process, stored with the turns of its pumps. */
  readonly processId: number;
  close(): Promise<void>;
}

export interface PumpLockOptions {
  url: string;
  log: { warn(details: { reason: string }, message: string): void };
  applicationName?: string;
}

const connectTimeoutMs = 3_000;
const retryEveryMs = 500;

/**
 * Holds an advisory lock on a connection of its own. PostgreSQL releases it when the process dies, but not while the process is
 * stopped: that is how another pump tells a dead process from a stopped one. Opens a lost connection again; resolves after the
 * first attempt, successful or not.
 */
export async function holdPumpLock({ url, log, applicationName = 'waymark' }: PumpLockOptions): Promise<PumpLock> {
  const processId = randomInt(1, 2 ** 31 - 1);
  const closing = new AbortController();
  let client: pg.Client | undefined;

  /** @returns a promise of the connection's end, wrapped, so that `await` does not wait for it. */
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
      // By hand: a connection of its own, which no entity manager has; no benchmark runs it more than once.
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
