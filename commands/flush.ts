import type { AppError } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';

/**
 * Writes changed entities.
 * @param refusals for each unique index that another row may have taken, by its name, the error of it.
 * @throws AppError one of `refusals`.
 */
export async function flushRefusing(
  em: EntityManager,
  refusals: Readonly<Record<string, () => AppError>>,
): Promise<void> {
  await em.flush().catch((error: unknown) => {
    throw Object.entries(refusals).find(([index]) => isUniqueViolation(error, index))?.[1]() ?? error;
  });
}
