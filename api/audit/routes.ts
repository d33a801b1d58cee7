import { Readable } from 'node:stream';
import type { z } from 'zod';
import { recordChange } from '#commands/organizations/audit.ts';
import { csvLine } from '#core/csv/csv.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import { AuditEntry } from '#db/entities/audit.ts';
import type { Routes } from '#api/dependencies.ts';
import { csvNote, pagesFrom, sendCsv } from '#api/csv.ts';
import { toCursor } from '#api/cursor.ts';
import { csvSchema, errorResponses } from '#api/schemas.ts';
import {
  auditColumns,
  auditExportQuerySchema,
  type AuditLine,
  auditLineSchema,
  auditPageSchema,
  auditQuerySchema,
  presentAuditLine,
  toAuditRow,
} from './schema.ts';

const linesPerPage = 500;

/** What somebody did in an organization, or tried to do, for its owners and admins (12.8). */
export const auditRoutes: Routes = async (app, { clock, shares }) => {
  app.get('/organization/audit', {
    config: { access: { resource: 'apiKeys', action: 'read' } },
    schema: {
      operationId: 'listAuditLog',
      summary: 'List the audit log',
      description:
        'Most recent first: sign-ins, API keys, people, domains, webhooks, exports, settings, and what staff and operators did. Owners and admins may read it, and their keys with the permission for API keys. Kept for a year.',
      querystring: auditQuerySchema,
      response: { 200: auditPageSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query: { cursor: after, limit, ...filters } }) => {
      const { lines, next } = await readPage(em, organizationId, filters, { limit, after });
      return { data: lines, nextCursor: next === undefined ? null : toCursor(next) };
    },
  });

  app.get('/organization/audit/export', {
    config: { access: { resource: 'apiKeys', action: 'read' } },
    schema: {
      operationId: 'exportAuditLog',
      summary: 'Export the audit log',
      description: `The lines of the list as a file, most recent first. The export is a line of the audit log itself. ${csvNote}`,
      querystring: auditExportQuerySchema,
      response: {
        200: {
          description: 'The lines',
          content: { 'text/csv': { schema: csvSchema }, 'application/json': { schema: auditLineSchema.array() } },
        },
        ...errorResponses(400),
      },
    },
    handler: async ({ actor, em, query: { bom, format, ...filters }, method }, reply) => {
      const { organizationId } = actor;
      const first = await readPage(em, organizationId, filters, { limit: linesPerPage });
      if (method !== 'HEAD') {
        const exported = { action: 'export.audit', subjectId: null, details: { format } };
        await em.transactional((em) => recordChange(em, actor, exported, clock()));
      }
      const readNext = ({ next: after }: typeof first) =>
        after && readPage(em, organizationId, filters, { limit: linesPerPage, after });
      if (format === 'csv')
        return sendCsv(reply, { name: 'audit.csv', columns: auditColumns, bom }, pagesFrom(first, toCsv, readNext));
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', 'attachment; filename="audit.json"')
        .send(Readable.from(method === 'HEAD' ? [] : inBrackets(pagesFrom(first, toJson, readNext))));
    },
  });

  /** @returns lines, and the position of the next page; undefined on the last one. */
  async function readPage(
    em: EntityManager,
    organizationId: string,
    { subject: subjectId, ...filters }: Omit<z.output<typeof auditQuerySchema>, 'cursor' | 'limit'>,
    { limit, after }: { limit: number; after?: Position | undefined },
  ): Promise<{ lines: AuditLine[]; next: Position | undefined }> {
    // One more shows whether a page follows.
    const query = { ...filters, subjectId, after, limit: limit + 1 };
    const found = await shares.heavyReads(
      organizationId,
      () => em.getRepository(AuditEntry).listOf(organizationId, query),
      { isContinued: after !== undefined },
    );
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { lines: shown.map(presentAuditLine), next: last && { atMs: last.at.getTime(), id: last.id } };
  }
};

const toCsv = ({ lines }: { lines: AuditLine[] }): string => lines.map((line) => csvLine(toAuditRow(line))).join('');
const toJson = ({ lines }: { lines: AuditLine[] }): string => lines.map((line) => JSON.stringify(line)).join(',\n');

/** One JSON array of pages, of which the first alone may be empty. */
async function* inBrackets(pages: AsyncIterable<string>): AsyncGenerator<string> {
  let separator = '[';
  for await (const page of pages) {
    if (page === '') continue;
    yield `${separator}\n${page}`;
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : '\n]\n';
}
