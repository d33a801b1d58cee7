import { AppError } from '#core/errors/errors.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createLinks, type CreateLinksOptions, linkTransaction } from './create/create.ts';
import { updateLinks } from './change/update.ts';

/** Takes the place of a hash, which is never stored here. */
const passwordHash = 'not hashed';

/** Ends a transaction that must change nothing. */
class Undone extends Error {}

/**
 * Tells by which error a link would be refused now, quota and slug included: creates it in a transaction that is rolled back, so
 * that a check and a create cannot differ. @returns null: it would be made.
 */
export function checkCreate(
  em: EntityManager,
  actor: Actor,
  draft: LinkDraft,
  options: CreateLinksOptions,
): Promise<AppError | null> {
  const wanted = { actor, draft, passwordHash: draft.password ? passwordHash : null };
  return rolledBack(em, async (em) => (await createLinks(em, [wanted], options))[0]);
}

/** As `checkCreate`, for a change of a link. */
export function checkUpdate(
  em: EntityManager,
  actor: Actor,
  request: { id: string; patch: LinkPatch },
  options: CreateLinksOptions,
): Promise<AppError | null> {
  const wanted = { ...request, passwordHash: request.patch.password ? passwordHash : null };
  return rolledBack(em, async (em) => (await updateLinks(em, actor, [wanted], options))[0]);
}

async function rolledBack(
  em: EntityManager,
  change: (em: EntityManager) => Promise<unknown>,
): Promise<AppError | null> {
  let found: AppError | null = null;
  try {
    await em.fork().transactional(async (em) => {
      const result = await change(em);
      found = result instanceof AppError ? result : null;
      throw new Undone();
    }, linkTransaction);
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return found;
}
