import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '../core/actor.ts';
import { colorOf } from '../core/colors.ts';
import { AppError } from '../core/errors.ts';
import { fold } from '../core/fold.ts';
import { plans } from '../core/plans.ts';
import type { Sql } from '../db/database.ts';

/**
 * Makes the tags among `names` that `known` lacks, as far as the plan allows, and adds them to `known` (folded name to id).
 * The organization's row is locked while they are counted, so that the quota holds under concurrent calls.
 * @returns the folded names in the order given, each once.
 * @throws AppError PLAN_LIMIT_REACHED when they would be too many.
 */
export async function createMissingTags(
  tx: Sql,
  actor: Actor,
  names: readonly string[],
  known: Map<string, string>,
): Promise<string[]> {
  const keys = [...new Set(names.map(fold))];
  const missing = new Map<string, string>();
  // The first spelling of a name is the one that is kept.
  for (const name of names) if (!missing.has(fold(name))) missing.set(fold(name), name);
  for (const key of known.keys()) missing.delete(key);
  if (missing.size === 0) return keys;
  await tx.query('select 1 from organizations where id = $1 for update', [actor.organizationId]);
  // Another call may have made some of them while this one waited for the lock.
  const { rows } = await tx.query<{ id: string; name_key: string }>(
    'select id, name_key from tags where organization_id = $1 and deleted_at is null',
    [actor.organizationId],
  );
  for (const row of rows) {
    if (missing.delete(row.name_key)) known.set(row.name_key, row.id);
  }
  if (missing.size === 0) return keys;
  const limit = plans[actor.plan].tags;
  if (rows.length + missing.size > limit) throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} tags.`);
  const tags = [...missing].map(([key, name]) => ({ id: uuidv7(), key, name, color: colorOf(key) }));
  await tx.query(
    `insert into tags (id, organization_id, name, name_key, color)
     select x.id, $1, x.name, x.key, x.color
     from jsonb_to_recordset($2::jsonb) as x(id uuid, key text, name text, color text)`,
    [actor.organizationId, JSON.stringify(tags)],
  );
  for (const tag of tags) known.set(tag.key, tag.id);
  return keys;
}
