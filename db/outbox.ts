import type { Sql, Transaction } from './connection/database.ts';

/** SQL: today's date (UTC). */
export const today = `(now() at time zone 'UTC')::date`;

/**
 * What the subject of an outbox row is: `threat-scan` a destination to scan (or a link, for its expired URL, or a domain, for
 * its fallback), `webhook` and `domain` one whose workflow is to look at it, `purge` a deletion whose rows are to be removed,
 * `threat-mail` an organization whose owner gets a mail about threats, `import` a file to turn into links, or whose links are to be removed again, `link-report` a report of a
 * link by visitors, `frame-check` a cloaked link whose destinations are asked whether they may be in a frame, `password-reset` a request of a new password,
 * whose link is to be mailed, `invitation` an invitation to be mailed, or that has ended, `account-notice` a mail to a person about their account.
 */
export type OutboxKind = (typeof outboxKinds)[number];

export const outboxKinds = [
  'threat-scan',
  'webhook',
  'domain',
  'purge',
  'threat-mail',
  'import',
  'link-report',
  'frame-check',
  'password-reset',
  'invitation',
  'account-notice',
] as const;

/** A caller waits for work in the lane `interactive`: it is claimed before that in the lane `bulk`. */
export const lanes = { interactive: 0, bulk: 1 } as const;

export type Lane = (typeof lanes)[keyof typeof lanes];

/** A row that a relay holds until its lease ends. */
export interface ClaimedRow {
  id: number;
  subjectId: string;
  /** Of a scan; of other kinds the column's default, which is no organization. */
  organizationId: string;
  /** Grows when the subject is enqueued again: a row is settled only if it has not grown since it was claimed. */
  generation: number;
  /** Attempts so far, this one included. */
  attempts: number;
  lane: Lane;
  /** The trace of the call that enqueued the subject first, as `currentTrace` writes it; null: of none. */
  trace: string | null;
}

/** SQL: that a row of the outbox is late after a minute. Bulk scans, and scans past an organization's daily budget, may take their time. */
export const mustNotWait = `parked_at is null and lane = ${lanes.interactive}
  and organization_id not in (select organization_id from scan_days where is_spent and day = ${today})`;

/**
 * With gaps from 1 s to 5 min, a row is parked after about an hour. It stays parked until its subject is enqueued
 * again.
 */
export const parkAfterAttempts = 20;

/** SQL: updates a row whose subject is enqueued again. A parked row is due again, with all its attempts. */
export const onEnqueuedAgain = `
  on conflict (kind, subject_id) do update set
    generation = outbox.generation + 1,
    created_at = case when outbox.parked_at is null then outbox.created_at else now() end,
    attempts = case when outbox.parked_at is null then outbox.attempts else 0 end,
    due_at = case when outbox.parked_at is not null then now()
      -- A relay holds the row until then, or its last try has failed.
      when outbox.attempts > 0 then outbox.due_at
      else least(outbox.due_at, excluded.due_at) end,
    lane = least(outbox.lane, excluded.lane),
    parked_at = null`;

/** Puts subjects into the outbox, each once while it waits, and notifies the relays after the commit. */
// By hand: it enqueues each subject once, or anew, in one statement for any number; no benchmark runs it more than once.
export async function enqueue(tx: Transaction, kind: OutboxKind, subjectIds: readonly string[]): Promise<void> {
  if (subjectIds.length === 0) return;
  tx.wakeRelaysAfterCommit();
  await tx.query({
    name: 'outbox_enqueue',
    text: `
      insert into outbox (kind, subject_id)
      select distinct $1, subject from unnest($2::uuid[]) as subject order by 2
      ${onEnqueuedAgain}`,
    values: [kind, subjectIds],
  });
}

/**
 * Takes due rows of a lane, oldest first, and leases them: when the relay dies, they become due again. The statement commits by
 * itself, so that no lock is held over a call.
 */
// By hand: it runs with every batch of the relay (bench rows W1 and V1).
export async function claim(
  sql: Sql,
  kind: OutboxKind,
  { limit, leaseMs, lane = lanes.interactive }: { limit: number; leaseMs: number; lane?: Lane },
): Promise<ClaimedRow[]> {
  const { rows } = await sql.query<ClaimedRow & { wasDueAt: Date }>({
    name: 'outbox_claim',
    // A millisecond of tolerance: due_at is rounded, and may lie half of one ahead of the clock.
    text: `
      with due as materialized (
        select id, due_at from outbox
        where kind = $1 and lane = $4 and parked_at is null and due_at <= now() + interval '1 millisecond'
        order by due_at, id limit $2 for update skip locked
      )
      update outbox o set due_at = now() + $3 * interval '1 millisecond', attempts = o.attempts + 1
      from due where o.id = due.id
      returning o.id, o.subject_id as "subjectId", o.organization_id as "organizationId", o.generation, o.attempts,
        o.lane, o.trace, due.due_at as "wasDueAt"`,
    values: [kind, limit, leaseMs, lane],
  });
  return rows
    .toSorted((a, b) => a.wasDueAt.getTime() - b.wasDueAt.getTime() || a.id - b.id)
    .map(({ wasDueAt: _wasDueAt, ...row }) => row);
}

/** Ends handled rows; a row whose subject was enqueued again meanwhile becomes due at once, as a new one. */
// By hand: it runs with every batch of the relay (bench rows W1 and V1).
export async function settle(sql: Sql, rows: readonly ClaimedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql.query({
    name: 'outbox_settle',
    text: `
      with locked as materialized (
        -- In the order of enqueue (docs/locks.md): the two cannot deadlock.
        select o.id from outbox o join unnest($1::bigint[]) as held (id) using (id) order by o.kind, o.subject_id for update of o
      ), done as (
        delete from outbox o using locked l, unnest($1::bigint[], $2::int[]) as held (id, generation)
        where o.id = l.id and o.id = held.id and o.generation = held.generation
        returning o.id
      )
      update outbox set due_at = now(), attempts = 0, created_at = now()
      where id in (select id from locked) and id not in (select id from done)`,
    values: [rows.map((row) => row.id), rows.map((row) => row.generation)],
  });
}
