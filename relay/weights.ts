import { premiumWeight } from '#core/temporal/priorities.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { listPremium } from '#db/organizations/plans.ts';

/** Gives premium organizations their weight in Temporal's turns, in one statement for all starts. */
export async function weigh(em: EntityManager, starts: readonly WorkflowStart[]): Promise<void> {
  const keys = new Set(starts.flatMap(({ options }) => options.priority?.fairnessKey ?? []));
  const premium = await listPremium(em, [...keys]);
  for (const { options } of starts) {
    const { priority } = options;
    if (premium.has(priority?.fairnessKey ?? '')) options.priority = { ...priority, fairnessWeight: premiumWeight };
  }
}
