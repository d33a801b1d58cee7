import { isDeepStrictEqual } from 'node:util';
import { type ActivityCaller, type ActivityDraft, toActivityRow } from '#core/audit/activity.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { insertActivities } from '#db/audit/activities.ts';

/** Keeps what a member, a key or staff acting for an organization has done, in the transaction of the change. */
export async function recordActivity(
  em: EntityManager,
  actor: Actor,
  activity: ActivityDraft,
  now: Date,
): Promise<void> {
  await recordActivityOf(em, actor.organizationId, actor, activity, now);
}

/** As `recordActivity`, of a subject that staff or the service itself have changed. */
export async function recordActivityOf(
  em: EntityManager,
  organizationId: string,
  by: ActivityCaller,
  activity: ActivityDraft,
  now: Date,
): Promise<void> {
  await insertActivities(em, [toActivityRow(by, organizationId, activity, now)]);
}

/** Keeps one activity for all links that a call has made or deleted. */
export async function recordOfLinks(
  em: EntityManager,
  actor: Actor,
  action: 'shortLink.created' | 'shortLink.deleted',
  links: readonly { id: string; slug: string }[],
  now: Date,
): Promise<void> {
  if (links.length === 0) return;
  const only = links.length === 1 ? links[0] : undefined;
  const subject = { subjectId: only?.id ?? null, name: only?.slug ?? null };
  await recordActivity(em, actor, { action, ...subject, count: links.length }, now);
}

/** Names of the fields to which a patch gives another value. @param before the values of its fields, as the patch has them. */
export function changedNames<Patch extends object>(
  patch: Patch,
  before: { [Name in keyof Patch]?: unknown },
): string[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const known = before[name as keyof Patch] ?? null;
    return value === undefined || isDeepStrictEqual(value, known) ? [] : name;
  });
}
