import { callerName } from '#db/audit/caller-name.ts';
import { sql } from 'kysely';
import { uuidv7 } from '#core/lib/uuid.ts';
import type { FieldChanges } from '#core/links/change.ts';
import type { ActivityRow } from '#core/audit/activity.ts';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import { insertActivitiesSql } from '#db/audit/activities.ts';

/** A change to be kept. The transaction holds its link. */
export interface NewLinkChange {
  linkId: string;
  /** The link's `updatedAt` after the change. */
  at: Date;
  fields: FieldChanges;
  /** Id of the change that this one undid. */
  undoes: string | null;
}

/**
 * A change as the history shows it. `callerId` is the member, or the user of the key; null: staff, whom only the audit log names.
 * `name` is that of the key or of the member, `client` that of the MCP client through which they acted.
 */
export type LinkChangeView = Awaited<ReturnType<typeof listChanges>>[number];

// Choices. People look for a change of the last weeks; a program that changes a link each hour would else leave thousands
// of rows, and changes of large rules a quarter of a megabyte each. A link keeps at least its newest change.
const keptChanges = 200;
const keptBytes = 1_048_576;
// So many more are kept until the oldest ones are removed together: most changes then remove none.
const spareChanges = 20;

// By hand: one statement keeps all changes of a bulk call and removes the oldest ones.
/** Keeps changes of links by the caller of their activity, several of one link in their order, and the activity. */
export async function keepChanges(db: Sql, changes: readonly NewLinkChange[], activity: ActivityRow): Promise<void> {
  if (changes.length === 0) return;
  const { caller, userId, keyId, client } = activity;
  const sums = new Map<string, { place: number; bytes: number }>();
  const rows = changes.map(({ linkId, at, fields, undoes }) => {
    const { place, bytes } = sums.get(linkId) ?? { place: 0, bytes: 0 };
    const sum = { place: place + 1, bytes: bytes + Buffer.byteLength(JSON.stringify(fields)) };
    sums.set(linkId, sum);
    return { link_id: linkId, id: uuidv7(), at, fields, undoes, ...sum };
  });
  await db.query({
    name: 'keep-link-changes',
    text: `
      with kept as (
        insert into link_changes (link_id, number, id, at, caller, user_id, key_id, client, fields, undoes, total_bytes)
        select n.link_id, coalesce(last.number, 0) + n.place, n.id, n.at, $2, $3, $4, $6, n.fields, n.undoes,
          coalesce(last.total_bytes, 0) + n.bytes
        from json_to_recordset($1) as n (link_id uuid, id uuid, at timestamptz, fields jsonb, undoes uuid, place int, bytes bigint)
        left join lateral (
          select number, total_bytes from link_changes where link_id = n.link_id order by number desc limit 1) last on true
        returning link_id, number, total_bytes
      ), activity as (${insertActivitiesSql('$5')}), newest as (
        select link_id, max(number) as number, max(total_bytes) as total_bytes from kept group by link_id
      ), full_links as (
        select n.* from newest n
        join lateral (
          select number, total_bytes from link_changes where link_id = n.link_id order by number limit 1) first on true
        where first.number <= n.number - ${keptChanges + spareChanges} or first.total_bytes <= n.total_bytes - ${keptBytes}
      )
      delete from link_changes c using full_links f
      where c.link_id = f.link_id and (c.number <= f.number - ${keptChanges} or c.total_bytes <= f.total_bytes - ${keptBytes})`,
    values: [JSON.stringify(rows), caller, userId, keyId, JSON.stringify([activity]), client],
  });
}

const changesOf = (em: EntityManager, linkId: string) =>
  em.kysely
    .selectFrom('LinkChange as c')
    .select(['c.id', 'c.at', 'c.caller', 'c.userId as callerId', 'c.keyId', 'c.client', 'c.fields', 'c.undoes'])
    .select(callerName('c', "c.caller = 'member'").as('name'))
    .where('c.linkId', '=', linkId);

/** Lists changes of a link, newest first. @param after continues after this change. */
export function listChanges(
  em: EntityManager,
  linkId: string,
  { limit, after }: { limit: number; after?: Position | undefined },
) {
  const changes = changesOf(em, linkId).orderBy('c.number', 'desc').limit(limit);
  return (after === undefined ? changes : changes.where('c.at', '<', new Date(after.atMs))).execute();
}

export function findChange(em: EntityManager, linkId: string, id: string) {
  return changesOf(em, linkId).where('c.id', '=', id).executeTakeFirst();
}

/** Lists the fields that later changes of a link have changed. @param since the moment of a change. */
export async function listLaterFields(em: EntityManager, linkId: string, since: Date): Promise<Set<string>> {
  const rows = await em.kysely
    .selectFrom('LinkChange as c')
    .select(({ ref }) => sql<string>`jsonb_object_keys(${ref('c.fields')})`.as('field'))
    .distinct()
    .where('c.linkId', '=', linkId)
    .where('c.at', '>', since)
    .execute();
  return new Set(rows.map(({ field }) => field));
}
