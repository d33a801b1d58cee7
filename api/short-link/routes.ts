import type { z } from 'zod';
import { deleteLinks } from '#commands/links/delete.ts';
import { updateLink } from '#commands/links/change/update.ts';
import { upsertLink } from '#commands/links/create/upsert.ts';
import { createLink, linkTransaction } from '#commands/links/create/create.ts';
import type { Actor } from '#core/audit/actor.ts';
import { orThrow } from '#core/errors/errors.ts';
import { requireLink } from '#core/organizations/reach.ts';
import { countByState, countLinks, type LinkFilters, listLinks, positionOf } from '#db/links/list.ts';
import { findLink, type LookedUp } from '#db/links/slugs/lookup.ts';
import { readLinks } from '#db/links/view.ts';
import { readCursor, toCursor } from '#api/cursor.ts';
import { bodyLimits } from '#api/limits/body-limits.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { createLinkAnswers } from './answers.ts';
import { bulkRoutes } from './bulk/routes.ts';
import { checkRoutes } from './check/routes.ts';
import { copyRoutes } from './copy-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { createCreateQueue, canShareTransaction } from './create-queue.ts';
import { isHeavy, toLinkFilters } from './filters.ts';
import { importRoutes } from '#api/import/routes.ts';
import { historyRoutes } from './history/routes.ts';
import { hashLinkPasswords } from './passwords.ts';
import { presentLinkItem } from './presenter.ts';
import { qrCodeRoutes } from './qr-code-routes.ts';
import {
  changedLinkSchema,
  countQuerySchema,
  countsQuerySchema,
  createBodySchema,
  linkCountSchema,
  linkCountsSchema,
  linkListSchema,
  listQuerySchema,
  orderOf,
  lookupQuerySchema,
  patchBodySchema,
  shortLinkSchema,
  upsertBodySchema,
} from './schema.ts';
import { normalizeDomainName } from '#commands/links/domain-choice.ts';
import type { Site } from '#core/links/site.ts';

const verdictNote =
  'The destination is scanned for threats: the answer waits a moment for the verdict, and shows null without one.';

export const shortLinkRoutes: Routes = async (app, deps) => {
  const { db, site, clock, shares } = deps;
  const answers = createLinkAnswers(deps);
  const createTogether = createCreateQueue(deps);
  await app.register(bulkRoutes, deps);
  await app.register(qrCodeRoutes, deps);
  await app.register(historyRoutes, deps);
  await app.register(checkRoutes, deps);
  await app.register(copyRoutes, deps);
  await app.register(exportRoutes, deps);
  await app.register(importRoutes, deps);

  /** Finds links by the filters of a query; what reads many links waits for its turn. */
  function find<T>(
    actor: Actor,
    query: z.output<typeof countQuerySchema>,
    read: (filters: LinkFilters) => Promise<T>,
    isSorted = false,
  ): Promise<T> {
    const filters = toLinkFilters(actor, query, { site, now: clock() });
    if (!isSorted && !isHeavy(filters)) return read(filters);
    return shares.heavyReads(actor.organizationId, () => read(filters));
  }

  app.get('/short-link/list', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'listShortLinks',
      summary: 'List short links',
      description:
        'Most recent first, or as sortBy and sortOrder say. Values of one filter are joined by OR, different filters by AND. Where a next page follows, nextCursor continues the list after the last link of this page, whatever is made or deleted meanwhile; a link whose value of sortBy changes meanwhile may be missing or shown twice.',
      querystring: listQuerySchema,
      response: { 200: linkListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em, query }) => {
      const { withQrCodeTemplate = false, view, cursor, limit, page, sortBy, sortOrder, ...filters } = query;
      const order = orderOf(query);
      const after = cursor === undefined ? undefined : readCursor(cursor, order);
      const list = (filters: LinkFilters) => listLinks(em, { ...filters, limit, page }, { sortBy, sortOrder }, after);
      const { count, ids, isLast, ...found } = await find(actor, filters, list, sortBy !== 'createdAt');
      const links = ids.length === 0 ? [] : await readLinks(db, ids);
      const shown = links.at(-1);
      const last = found.last ?? (shown && positionOf(shown));
      return {
        count,
        data: links.map((link) =>
          view === 'full' ? answers.showRead(link) : presentLinkItem(link, site, { withQrCode: withQrCodeTemplate }),
        ),
        nextCursor: isLast || last === undefined ? null : toCursor(last, order),
      };
    },
  });

  app.get('/short-link/count', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'countShortLinks',
      summary: 'Count short links',
      description: 'With the filters of the list.',
      querystring: countQuerySchema,
      response: { 200: linkCountSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em, query }) =>
      find(actor, query, async (filters) => ({ count: await countLinks(em, filters) })),
  });

  app.get('/short-link/counts', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'countShortLinksByState',
      summary: 'Count short links by their state',
      description:
        'With the filters of the list but `states`, archived links among them unless `isArchived` says otherwise.',
      querystring: countsQuerySchema,
      response: { 200: linkCountsSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, em, query: { by: _by, ...query } }) => {
      const read = async (filters: LinkFilters) => {
        const archived = query.isArchived === undefined ? 'any' : filters.archived;
        return { data: await countByState(em, { ...filters, archived }, clock()) };
      };
      return find(actor, { ...query, states: [] }, read, true);
    },
  });

  app.get('/short-link/lookup', {
    config: { access: { resource: 'shortLinks', action: 'read' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'lookupShortLink',
      summary: 'Find a short link',
      description:
        'By one of: domain and slug; externalId; url. A url that is a short URL of the organization finds that link, any other one the most recent link whose destination it is, compared byte for byte.',
      querystring: lookupQuerySchema,
      response: { 200: shortLinkSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, query }) => {
      const name = toLinkName(query, site);
      const look = () => findLink(em, actor, name);
      // Thousands of links may lead to one address.
      const id = await ('url' in name ? shares.heavyReads(actor.organizationId, look) : look());
      const [link] = id === undefined ? [] : await readLinks(db, [id]);
      return answers.showRead(requireLink(link, actor));
    },
  });

  app.post('/short-link', {
    bodyLimit: bodyLimits.link,
    config: { access: { resource: 'shortLinks', action: 'create' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'createShortLink',
      summary: 'Create a short link',
      description: verdictNote,
      body: createBodySchema(clock),
      response: { 201: changedLinkSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async (request, reply) => {
      const { actor, body, idempotent } = request;
      const earlierId = idempotent?.earlier as string | null | undefined;
      if (earlierId) return reply.code(201).send(await answers.show({ id: earlierId }));
      using listening = await answers.listen(actor, [body]);
      const { localAnswers } = listening;
      const create = async () => {
        const [passwordHash] = await hashLinkPasswords(shares, actor, [body]);
        const wanted = { actor, draft: body, passwordHash: passwordHash ?? null, localAnswers };
        // A create with an Idempotency-Key has a transaction of its own, which also records the key's result.
        if (!idempotent && canShareTransaction(wanted)) return createTogether(wanted);
        return request.em.transactional(async (em) => {
          const made = await createLink(em, wanted, { site, now: clock() });
          await idempotent?.made(em, made.id);
          return made;
        }, linkTransaction);
      };
      const made = await create();
      const verdicts = await listening.awaitVerdicts(made.verdicts);
      return reply.code(201).send(await answers.show(made, verdicts));
    },
  });

  app.put('/short-link/upsert', {
    bodyLimit: bodyLimits.link,
    config: { access: { resource: 'shortLinks', action: ['create', 'update'] }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'upsertShortLink',
      summary: 'Create a short link, or update the one with this externalId, else with this domain and slug',
      description: verdictNote,
      body: upsertBodySchema,
      response: { 200: changedLinkSchema, 201: changedLinkSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, body, idempotent, ifMatch }, reply) => {
      const earlier = idempotent?.earlier as { id: string; isNew: boolean } | null | undefined;
      if (earlier) return reply.code(earlier.isNew ? 201 : 200).send(await answers.show({ id: earlier.id }));
      const [passwordHash = null] = await hashLinkPasswords(shares, actor, [body]);
      using listening = await answers.listen(actor, [body]);
      const { localAnswers } = listening;
      const { id, isNew, verdicts } = await em.transactional(async (em) => {
        const options = { site, now: clock(), passwordHash, ifMatch, localAnswers };
        const upserted = await upsertLink(em, actor, body, options);
        await idempotent?.made(em, { id: upserted.id, isNew: upserted.isNew });
        return upserted;
      }, linkTransaction);
      const shown = await listening.awaitVerdicts(verdicts);
      return reply.code(isNew ? 201 : 200).send(await answers.show({ id }, shown));
    },
  });

  app.get('/short-link/:id', {
    config: { access: { resource: 'shortLinks', action: 'read' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'getShortLink',
      summary: 'Read a short link',
      params: idParamsSchema,
      response: { 200: shortLinkSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, params }) => {
      const [link] = await readLinks(db, [params.id]);
      return answers.showRead(requireLink(link, actor));
    },
  });

  app.patch('/short-link/:id', {
    bodyLimit: bodyLimits.link,
    config: { access: { resource: 'shortLinks', action: 'update' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'updateShortLink',
      summary: 'Update a short link',
      description: `Fields that are sent change, the others stay; null clears. ${verdictNote}`,
      params: idParamsSchema,
      body: patchBodySchema,
      response: { 200: changedLinkSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id }, body, ifMatch }) => {
      const [passwordHash = null] = await hashLinkPasswords(shares, actor, [body]);
      const request = { id, patch: body, passwordHash, ifMatch };
      using listening = await answers.listen(actor, [body]);
      const { localAnswers } = listening;
      const { verdicts } = await em.transactional(
        (em) => updateLink(em, actor, request, { site, now: clock(), localAnswers }),
        linkTransaction,
      );
      return answers.show({ id }, await listening.awaitVerdicts(verdicts));
    },
  });

  app.delete('/short-link/:id', {
    config: { access: { resource: 'shortLinks', action: 'delete' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'deleteShortLink',
      summary: 'Delete a short link',
      description: 'Its slug is free at once, and its statistics are deleted. This cannot be undone.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params, ifMatch }) => {
      await em.transactional(async (em) => {
        const [deleted] = await deleteLinks(em, actor, [params.id], { now: clock(), ifMatch });
        return orThrow(deleted!);
      });
      return { rowCount: 1 };
    },
  });
};

function toLinkName(query: z.output<typeof lookupQuerySchema>, site: Site): LookedUp {
  const { domain, slug, externalId, url } = query;
  if (externalId !== undefined) return { externalId };
  if (url !== undefined) return { url, short: site.parse(url) };
  // No domain has a name that cannot be one: the answer is 404.
  return { host: normalizeDomainName(domain, site) ?? '', slug: slug!.normalize('NFC') };
}
