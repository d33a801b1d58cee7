import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { createLinks } from '../../commands/links.ts';
import { urlHash } from '../../commands/verdicts.ts';
import { AppError } from '../../core/errors.ts';
import type { LinkDraft } from '../../core/link-draft.ts';
import { readLinks } from '../../db/link-view.ts';
import type { ApiDependencies } from '../app.ts';
import { errorResponses, idParamsSchema } from '../schemas.ts';
import { presentLink } from './presenter.ts';
import { createBodySchema, type ShortLink, shortLinkSchema } from './schema.ts';

const tags = ['Short links'];

/** The short links of an organization. */
export const shortLinkRoutes: FastifyPluginAsyncZod<ApiDependencies> = async (app, deps) => {
  const { db, site, clock, verdicts, wakeRelay, threatScanWaitMs } = deps;

  /** @throws AppError NOT_FOUND when somebody has deleted it meanwhile. */
  async function present(id: string): Promise<ShortLink> {
    const [link] = await readLinks(db, [id]);
    if (link === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
    return presentLink(link, site);
  }

  app.post(
    '/short-link',
    {
      config: { access: { resource: 'shortLinks', action: 'create' } },
      schema: {
        tags,
        summary: 'Create a short link',
        description:
          'The destination is checked for threats: the answer waits a moment for the verdict and shows null where it is still awaited.',
        body: createBodySchema,
        response: { 201: shortLinkSchema, ...errorResponses(400, 404, 409) },
      },
    },
    async (request, reply) => {
      const { actor, body, idempotent } = request;
      if (idempotent?.resourceId) return reply.code(201).send(await present(idempotent.resourceId));
      // Before the commit, lest a quick verdict be missed.
      using waiting = verdicts.open(hashesOf(body));
      const result = await db.transaction(async (tx) => {
        const [only] = await createLinks(tx, actor, [body], { site, now: clock() });
        if (!only!.ok) throw only!.error;
        await idempotent?.made(tx, only!.id);
        return only!;
      });
      if (result.awaited.length > 0) {
        wakeRelay();
        await waiting.wait(result.awaited, threatScanWaitMs);
      }
      return reply.code(201).send(await present(result.id));
    },
  );

  app.get(
    '/short-link/:id',
    {
      config: { access: { resource: 'shortLinks', action: 'read' } },
      schema: {
        tags,
        summary: 'Read a short link',
        params: idParamsSchema,
        response: { 200: shortLinkSchema, ...errorResponses(400, 404) },
      },
    },
    async (request) => {
      const [link] = await readLinks(db, [request.params.id]);
      if (link === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
      if (link.organizationId !== request.actor.organizationId) throw new AppError('FORBIDDEN');
      return presentLink(link, site);
    },
  );
};

function hashesOf({ destination, rules }: LinkDraft): string[] {
  return [destination, ...(rules ?? []).map((rule) => rule.destination)]
    .filter(({ type }) => type === 'link')
    .map(({ value }) => urlHash(value).toString('hex'));
}
