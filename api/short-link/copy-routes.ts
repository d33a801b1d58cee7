import type { FastifyRequest } from 'fastify';
import type { Routes } from '#api/dependencies.ts';
import { linkTransaction } from '#commands/links/create/create.ts';
import { duplicateLink } from '#commands/links/create/duplicate.ts';
import { updateLink } from '#commands/links/change/update.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import { requireLink } from '#core/organizations/reach.ts';
import { readLinks } from '#db/links/view.ts';
import { errorResponses, idParamsSchema } from '#api/schemas.ts';
import { createLinkAnswers } from './answers.ts';
import { type ChangedLink, changedLinkSchema, duplicateBodySchema, moveBodySchema } from './schema.ts';

/** A link once more, a link at another address, and a link in the archive. */
export const copyRoutes: Routes = async (app, deps) => {
  const { db, site, clock } = deps;
  const answers = createLinkAnswers(deps);

  /** Changes a link by a patch without web addresses: the answer waits for no verdict. */
  async function change(
    request: Pick<FastifyRequest, 'actor' | 'em' | 'ifMatch'> & { params: { id: string } },
    patch: LinkPatch,
  ): Promise<ChangedLink> {
    const { actor, em, ifMatch } = request;
    const { id } = request.params;
    const options = { site, now: clock() };
    await em.transactional((em) => updateLink(em, actor, { id, patch, ifMatch }, options), linkTransaction);
    return answers.show({ id });
  }

  app.post('/short-link/:id/duplicate', {
    config: { access: { resource: 'shortLinks', action: ['create', 'read'] }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'duplicateShortLink',
      summary: 'Duplicate a short link',
      description:
        'Creates a link like this one on the same domain, with its password, tags, rules, QR style and limits, but without its externalId, clicks and history. Quotas, scans and events are those of a create.',
      params: idParamsSchema,
      body: duplicateBodySchema,
      response: { 201: changedLinkSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, em, params, body, idempotent } = request;
      const earlierId = idempotent?.earlier as string | null | undefined;
      if (earlierId) return reply.code(201).send(await answers.show({ id: earlierId }));
      const [link] = await readLinks(db, [params.id]);
      using listening = await answers.listen(actor, [requireLink(link, actor)]);
      const { localAnswers } = listening;
      const made = await em.transactional(async (em) => {
        const copy = { id: params.id, slug: body.slug };
        const made = await duplicateLink(em, actor, copy, { site, now: clock(), localAnswers });
        await idempotent?.made(em, made.id);
        return made;
      }, linkTransaction);
      const verdicts = await listening.awaitVerdicts(made.verdicts);
      return reply.code(201).send(await answers.show(made, verdicts));
    },
  });

  app.post('/short-link/:id/move', {
    config: { access: { resource: 'shortLinks', action: 'update' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'moveShortLink',
      summary: 'Move a short link to another domain',
      description:
        'Its old address stops working within a second; its clicks and history stay with it. 409 where its slug is taken on the other domain: name another slug.',
      params: idParamsSchema,
      body: moveBodySchema,
      response: { 200: changedLinkSchema, ...errorResponses(400, 404, 409) },
    },
    handler: (request) => change(request, request.body),
  });

  const archiving = [
    {
      path: '/short-link/:id/archive',
      isArchived: true,
      operationId: 'archiveShortLink',
      summary: 'Archive a short link',
      description:
        'The link stops redirecting within a second: visitors get what an inactive link shows. Lists leave it out. It keeps its slug, its statistics and its place in the plan. An archived link stays as it is.',
    },
    {
      path: '/short-link/:id/restore',
      isArchived: false,
      operationId: 'restoreShortLink',
      summary: 'Restore an archived short link',
      description:
        'It redirects again within a second, where it is active. A link that is not archived stays as it is.',
    },
  ];
  for (const { path, isArchived, ...described } of archiving) {
    app.post(path, {
      config: { access: { resource: 'shortLinks', action: 'update' }, versioned: true, keepsReach: true },
      schema: {
        ...described,
        params: idParamsSchema,
        response: { 200: changedLinkSchema, ...errorResponses(400, 404, 409) },
      },
      handler: (request) => change(request, { isArchived }),
    });
  }
};
