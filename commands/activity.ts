import { type ActivityCaller, type ActivityDraft, toActivityRow } from '#core/audit/activity.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { Transaction } from '#db/connection/database.ts';
import { insertActivities } from '#db/audit/activities.ts';

/** Keeps what a member, a key or staff acting for an organization has done, in the transaction of the change. */
export async function recordActivity(tx: Transaction, actor: Actor, activity: ActivityDraft, now: Date): Promise<void> {
  await recordActivityOf(tx, actor.organizationId, actor, activity, now);
}

/** As `recordActivity`, of a subject that staff or the service itself have changed. */
export async function recordActivityOf(
  tx: Transaction,
  organizationId: string,
  by: ActivityCaller,
  activity: ActivityDraft,
  now: Date,
): Promise<void> {
  await insertActivities(tx, [toActivityRow(by, organizationId, activity, now)]);
}

/** Names of the fields that a change sends. */
export function changedNames(patch: object): string[] {
  return Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : name));
}
