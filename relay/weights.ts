import { premiumWeight } from '#core/temporal/priorities.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { anyId } from '#db/any-of.ts';

/** Gives premium organizations their weight in Temporal's turns, in one statement for all starts. */
export async function weigh(em: EntityManager, starts: readonly WorkflowStart[]): Promise<void> {
  const keys = new Set(starts.flatMap(({ options }) => options.priority?.fairnessKey ?? []));
  if (keys.size === 0) return;
  const rows = await em.kysely
    .selectFrom('Organization')
    .select('id')
    .where('id', '=', anyId([...keys]))
    .where('plan', '=', 'premium')
    .execute();
  const premium = new Set(rows.map(({ id }) => id));
  for (const { options } of starts) {
    const { priority } = options;
    if (premium.has(priority?.fairnessKey ?? '')) options.priority = { ...priority, fairnessWeight: premiumWeight };
  }
}
