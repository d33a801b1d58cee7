import { recordChange } from '#commands/organizations/audit.ts';
import { csvLine } from '#core/csv/csv.ts';
import { linkColumns, toLinkFields } from '#core/imports/link-columns.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import { type LinkFilters, listLinksAfter, positionOf } from '#db/links/list.ts';
import { readLinks } from '#db/links/view.ts';
import type { Routes } from '#api/dependencies.ts';
import { csvNote, pagesFrom, sendCsv } from '#api/csv.ts';
import { csvSchema, errorResponses } from '#api/schemas.ts';
import { toLinkFilters } from './filters.ts';
import { exportQuerySchema } from './schema.ts';

const linksPerPage = 500;

/** Links as CSV with every field of a create except passwords. */
export const exportRoutes: Routes = async (app, { db, site, clock, shares }) => {
  app.get('/short-link/export', {
    config: { access: { resource: 'shortLinks', action: 'read' }, keepsReach: true },
    schema: {
      operationId: 'exportShortLinks',
      summary: 'Export short links',
      description: `CSV with a header, most recent first, in a form that can be imported again; passwords are left out. Filters are those of the list; archived links are left out with isArchived=false alone. Tags are separated by |, rules and QR codes are JSON. ${csvNote} An import removes the apostrophes again.`,
      querystring: exportQuerySchema,
      response: {
        200: { description: 'CSV', content: { 'text/csv': { schema: csvSchema } } },
        ...errorResponses(400),
      },
    },
    handler: async ({ actor, em, query: { bom, ...filters }, method }, reply) => {
      const listed = toLinkFilters(actor, filters, { site, now: clock() });
      // An export is of all links, where it does not say otherwise.
      const query = filters.isArchived === undefined ? { ...listed, archived: 'any' as const } : listed;
      const first = await readPage(em, query);
      if (method !== 'HEAD') {
        const exported = { action: 'export.shortLinks', subjectId: null };
        await em.transactional((em) => recordChange(em, actor, exported, clock()));
      }
      const readNext = ({ next }: typeof first) => next && readPage(em, query, next);
      const pages = pagesFrom(first, ({ lines }) => lines, readNext);
      return sendCsv(reply, { name: 'short-links.csv', columns: linkColumns, bom }, pages);
    },
  });

  /** @returns the lines of a page, and the position of the next one; undefined on the last page. */
  async function readPage(
    em: EntityManager,
    query: LinkFilters,
    after?: Position,
  ): Promise<{ lines: string; next?: Position | undefined }> {
    const listed = await shares.heavyReads(
      query.organizationId,
      () => listLinksAfter(em, { ...query, limit: linksPerPage }, after),
      { isContinued: after !== undefined },
    );
    const ids = listed.map(({ id }) => id);
    const links = await readLinks(db, ids);
    const lines = links.map((link) => csvLine(toLinkFields(link, site.originUrl(link.domain.domain, link.slug))));
    const last = listed.length < linksPerPage ? undefined : listed.at(-1);
    return { lines: lines.join(''), next: last && positionOf(last) };
  }
};
