import type { Sql, Transaction } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Deletion } from '#db/entities/deletions.ts';
import { enqueue, onEnqueuedAgain } from '#db/outbox.ts';

// The table, the outbox kind and the workflows' input keep the older word for a deletion, purge.

/** What one call deleted: links, or a domain, folder or organization with everything in it. */
export type DeletionKind = 'links' | 'domain' | 'folder' | 'organization';

/** A deletion whose rows are still to be removed. */
export interface DeletionRow {
  /** Id of the deleted thing; of links, that of the first. */
  id: string;
  kind: DeletionKind;
  organizationId: string;
  /** Number of deleted links. */
  links: number;
  deletedAt: Date;
}

/** A deletion whose workflow is to be started. */
export interface DeletionTarget extends DeletionRow {
  /** The first 40 of its links, for operators. */
  linkIds: string[];
  /** Names for operators: of the first two links, the domain, the folder, or the organization. */
  names: string[];
}

/** Bounds of `told_to`, below and above all ids: `link.deleted` is out for no link, and for all. */
export const [firstId, lastId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

// A choice: a deletion that no activity has touched for this long counts as lost. With the relay's interval that is below a
// minute (12.5).
const silenceMs = 30_000;
const shownLinks = 40;

/**
 * Stores a deletion whose rows a workflow removes, in the transaction that deletes.
 * @param toldTo the last of its links for which `link.deleted` is out.
 */
// By hand: each delete of links runs it, and the server's clock decides when a deletion is overdue (bench row `deletes`).
export async function insertDeletion(
  tx: Transaction,
  { id, kind, organizationId, links, deletedAt, toldTo }: DeletionRow & { toldTo: string },
): Promise<void> {
  await tx.query({
    name: 'purges-insert',
    text: `insert into purges (id, kind, organization_id, links, told_to, deleted_at, due_at)
      values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')`,
    values: [id, kind, organizationId, links, toldTo, deletedAt, silenceMs],
  });
  await enqueue(tx, 'purge', [id]);
}

/** Reads the deletions whose workflows are to be started; finished ones are left out. */
// By hand: one statement names the links of up to 500 deletions (bench row `deletes`).
export async function listDeletionTargets(sql: Sql, ids: readonly string[]): Promise<DeletionTarget[]> {
  const { rows } = await sql.query<DeletionTarget>({
    name: 'purges-targets',
    text: `select p.id, p.kind, p.organization_id as "organizationId", p.links, p.deleted_at as "deletedAt",
        case when p.kind = 'links' then array(
          select link_id::text from hidden_links where purge_id = p.id order by link_id limit ${shownLinks})
        else '{}' end as "linkIds",
        case p.kind
          when 'links' then array(
            select d.domain || '/' || l.slug from (
              select link_id from hidden_links where purge_id = p.id order by link_id limit 2) h
            join short_links l on l.id = h.link_id join domains d on d.id = l.domain_id order by h.link_id)
          when 'domain' then array(select domain from domains where id = p.id)
          when 'folder' then array(select name from folders where id = p.id)
          else array(select name from organizations where id = p.id) end as names
      from purges p where p.id = any($1::uuid[])`,
    values: [ids],
  });
  return rows;
}

/** Reads a deletion, and marks it as under way for `inMs` and half a minute. */
// By hand: it runs after each batch (bench row `deletes`).
export async function touchDeletion(sql: Sql, id: string, inMs = 0): Promise<DeletionRow | undefined> {
  const { rows } = await sql.query<DeletionRow>({
    name: 'purges-touch',
    text: `update purges set due_at = now() + ($2::int + ${silenceMs}) * interval '1 millisecond' where id = $1
      returning id, kind, organization_id as "organizationId", links, deleted_at as "deletedAt"`,
    values: [id, inMs],
  });
  return rows[0];
}

/** Ends a deletion whose links are all removed. @returns whether it ended. */
export async function endDeletion(em: EntityManager, id: string): Promise<boolean> {
  await em.kysely
    .deleteFrom('Deletion')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('HiddenLink as h').select('h.linkId').where('h.purgeId', '=', id))),
    )
    .execute();
  return (await em.count(Deletion, { id })) === 0;
}

/** Enqueues deletions again that no activity has touched in time. @returns how many. */
// By hand: one statement moves up to 500 deletions to the outbox, and skips rows that another relay holds.
export async function requeueOverdueDeletions(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'purges-overdue',
    text: `
      with overdue as materialized (
        select id from purges where due_at < now() order by due_at limit $1 for update skip locked
      ), moved as (
        update purges p set due_at = now() + ${silenceMs} * interval '1 millisecond' from overdue o where p.id = o.id
      )
      insert into outbox (kind, subject_id) select 'purge', id from overdue order by 2 ${onEnqueuedAgain}`,
    values: [limit],
  });
  return rowCount ?? 0;
}
