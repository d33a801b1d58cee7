import type { Routes } from '#api/dependencies.ts';
import { linkTransaction } from '#commands/links/create/create.ts';
import { undoChange, undoPatch } from '#commands/links/undo.ts';
import { AppError } from '#core/errors/errors.ts';
import { requireLink } from '#core/organizations/reach.ts';
import { findChange, listChanges } from '#db/links/changes.ts';
import { readLinks } from '#db/links/view.ts';
import { byMoment, pageOf } from '#api/cursor.ts';
import { errorResponses, idParamsSchema } from '#api/schemas.ts';
import { createLinkAnswers } from '#api/short-link/answers.ts';
import { changedLinkSchema } from '#api/short-link/schema.ts';
import { changeParamsSchema, historyQuerySchema, historySchema, presentChange } from './schema.ts';

export const historyRoutes: Routes = async (app, deps) => {
  const { db, site, clock } = deps;
  const answers = createLinkAnswers(deps);

  app.get('/short-link/:id/history', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'listShortLinkChanges',
      summary: 'List the changes of a short link',
      description:
        'Newest first: who changed what, and when. At least the 200 newest changes are kept, as far as they hold 1 MiB together. The create is no change, and neither are deletes of folders and tags.',
      params: idParamsSchema,
      querystring: historyQuerySchema,
      response: { 200: historySchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id }, query: { limit, cursor: after } }) => {
      const [link] = await readLinks(db, [id]);
      requireLink(link, actor);
      // One more shows whether a page follows.
      const found = await listChanges(em, id, { limit: limit + 1, after });
      const { rows, nextCursor } = pageOf(found, limit, byMoment);
      return { data: rows.map(presentChange), nextCursor };
    },
  });

  app.post('/short-link/:id/history/:changeId/undo', {
    config: { access: { resource: 'shortLinks', action: 'update' }, versioned: true, keepsReach: true },
    schema: {
      operationId: 'undoShortLinkChange',
      summary: 'Undo a change of a short link',
      description:
        'Sets the changed fields back to their values before the change, as an update of these fields would. 409, with the fields in issues, where one of them has been changed since, and for a change of the password.',
      params: changeParamsSchema,
      response: { 200: changedLinkSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id, changeId }, idempotent, ifMatch }) => {
      if (idempotent?.earlier) return answers.show({ id });
      const [link] = await readLinks(db, [id]);
      requireLink(link, actor);
      const change = await findChange(em, id, changeId);
      if (change === undefined) throw new AppError('NOT_FOUND', 'This change does not exist.');
      const patch = undoPatch(change.fields);
      using listening = await answers.listen(actor, [patch]);
      const { localAnswers } = listening;
      const { verdicts } = await em.transactional(async (em) => {
        const options = { site, now: clock(), localAnswers };
        const undone = await undoChange(em, actor, { id, change, patch, ifMatch }, options);
        await idempotent?.made(em, id);
        return undone;
      }, linkTransaction);
      return answers.show({ id }, await listening.awaitVerdicts(verdicts));
    },
  });
};
