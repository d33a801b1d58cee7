import type { z } from 'zod';
import { checkCreate, checkUpdate } from '#commands/links/check.ts';
import type { AppError } from '#core/errors/errors.ts';
import { invalidBy } from '#core/errors/issues.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { errorResponses } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { bodyLimits } from '#api/limits/body-limits.ts';
import { createBodySchema, patchBodySchema } from '#api/short-link/schema.ts';
import { checkBodySchema, checkedLinkSchema } from './schema.ts';

type Checked = z.output<typeof checkedLinkSchema>;

// A destination that is never wrong: only the slug is asked about.
const anyDestination = { type: 'link', value: 'https://example.com/' };

export const checkRoutes: Routes = async (app, { site, clock }) => {
  const createSchema = createBodySchema(clock);

  /** The error that a call would answer; null: none. */
  async function check(
    em: EntityManager,
    actor: Actor,
    id: string | undefined,
    link: Record<string, unknown>,
  ): Promise<AppError | null> {
    const options = { site, now: clock() };
    if (id === undefined) {
      const draft = createSchema.safeParse(link);
      return draft.success ? checkCreate(em, actor, draft.data, options) : invalidBy(draft.error.issues);
    }
    const patch = patchBodySchema.safeParse(link);
    return patch.success ? checkUpdate(em, actor, { id, patch: patch.data }, options) : invalidBy(patch.error.issues);
  }

  /** Whether the slug of a link can be had; null where another fault hides it. */
  async function checkSlug(
    em: EntityManager,
    actor: Actor,
    id: string | undefined,
    { slug, domain, domainId }: Record<string, unknown>,
  ): Promise<boolean | null> {
    if (typeof slug !== 'string') return null;
    const place = { ...(domain === undefined ? {} : { domain }), ...(domainId === undefined ? {} : { domainId }) };
    const only = { slug, ...place, ...(id === undefined ? { destination: anyDestination } : {}) };
    const error = await check(em, actor, id, only);
    if (error === null) return true;
    return error.code === 'ALREADY_EXIST' ? false : null;
  }

  app.post('/short-link/check', {
    bodyLimit: bodyLimits.link,
    config: { access: { resource: 'shortLinks', action: ['create', 'update'] }, keepsReach: true },
    schema: {
      operationId: 'checkShortLink',
      summary: 'Check a short link before it is sent',
      description:
        'Nothing is written. The answer holds for this moment: another call may take the slug, or use up the quota.',
      body: checkBodySchema,
      response: { 200: checkedLinkSchema, ...errorResponses(400, 409) },
    },
    handler: async ({ actor, em, body: { id, link } }): Promise<Checked> => {
      const error = await check(em, actor, id, link);
      const isSlugFree = error === null && typeof link.slug === 'string' ? true : await checkSlug(em, actor, id, link);
      return {
        isAccepted: error === null,
        code: error?.code ?? null,
        message: error?.message ?? null,
        issues: [...(error?.details.issues ?? [])].map(({ path, message }) => ({ path, message })),
        isSlugFree,
      };
    },
  });
};
