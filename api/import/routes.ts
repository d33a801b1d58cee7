import { readCsvFile } from '#adapters/csv-file.ts';
import { cancelImport, createImport, requireImportShare } from '#commands/imports/imports.ts';
import { undoImport } from '#commands/imports/undo.ts';
import { invalid } from '#core/errors/errors.ts';
import { type CsvFile, CsvFileError, maxImportBytes, maxImportRows } from '#core/csv/csv-file.ts';
import { detectFormat, hasDestination, type ImportFormat } from '#core/imports/formats.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { Import } from '#db/entities/imports.ts';
import { byCreation, pageOf } from '#api/cursor.ts';
import { createUnderWay } from '#api/limits/under-way.ts';
import { errorResponses, idParamsSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import {
  importBodySchema,
  importListQuerySchema,
  importListSchema,
  importRowsQuerySchema,
  importRowsSchema,
  importSchema,
  presentImport,
  presentImportRow,
  undoBodySchema,
} from './schema.ts';

// Each is held in memory.
const maxUploads = 3;

/** Imports: a workflow creates a link for each row of a file. */
export const importRoutes: Routes = async (app, deps) => {
  const { site, clock, shares, importBytesPerDay: bytesPerDay } = deps;
  const uploads = createUnderWay(maxUploads, `At most ${maxUploads} files may be sent at a time.`);

  app.post('/short-link/import', {
    config: {
      access: { resource: 'shortLinks', action: 'create' },
      multipart: {
        maxFileBytes: maxImportBytes,
        check: ({ bytes }, { actor, body }) =>
          shares.bulkWrites(actor.organizationId, async () => {
            const file = await read(bytes);
            const format = importBodySchema.shape.format.safeParse((body as { format?: unknown }).format);
            if (format.success) formatOf(file, format.data);
          }),
      },
    },
    // Before the file is read. Its own size is checked afterwards. A call with an Idempotency-Key may be a replay.
    onRequest: async ({ actor: { organizationId }, em, headers }, reply) => {
      uploads.begin(organizationId, 1, reply.raw);
      if (headers['idempotency-key'] !== undefined) return;
      await requireImportShare(em, organizationId, { bytes: 0, bytesPerDay, now: clock() });
    },
    schema: {
      operationId: 'importShortLinks',
      summary: 'Import short links from a file',
      description: `CSV of GET /short-link/export, of Bitly, Dub, Short.io, Rebrandly, YOURLS, Kutt, Shlink or Polr, or any with a column for the destination. Each row becomes a link, one by one, and has a result that can be read. A row goes to the domain that it names if the organization has it, and to the default domain otherwise; in files of Waymark, and in files with a column "domain", such a row fails instead. Links that exist already are skipped. Dates in the past are kept. What protects, limits or turns off a link is taken over, or its row fails. An organization may have three unfinished imports and import a limited number of bytes in 24 hours; past either limit: 429.`,
      consumes: ['multipart/form-data'],
      body: importBodySchema,
      response: { 201: importSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, body, em, idempotent }, reply) => {
      const begin = async (): Promise<string> => {
        const file = await read(body.file.bytes);
        const draft = {
          ...file,
          bytes: body.file.bytes.length,
          format: formatOf(file, body.format),
          domainId: body.domainId,
          folderId: body.folderId,
        };
        return em.transactional(async (em) => {
          const { id } = await createImport(em, actor, draft, { site, now: clock(), bytesPerDay });
          await idempotent?.made(em, id);
          return id;
        });
      };
      const earlierId = idempotent?.earlier as string | null | undefined;
      const id = earlierId ?? (await shares.bulkWrites(actor.organizationId, begin));
      return reply.code(201).send(presentImport(requireOwn(await em.findOne(Import, { id }), actor, 'import')));
    },
  });

  app.get('/short-link/import/list', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'listImports',
      summary: 'List imports',
      description:
        'Most recent first; kept for 30 days. Where a next page follows, nextCursor continues the list after the last import of this page, whatever begins meanwhile.',
      querystring: importListQuerySchema,
      response: { 200: importListSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em, query: { states, limit, page, cursor: after } }) => {
      const [found, count] = await em.getRepository(Import).listPage(organizationId, { states, after, limit, page });
      const { rows, nextCursor } = pageOf(found, limit, byCreation);
      return { count, data: rows.map(presentImport), nextCursor };
    },
  });

  app.post('/short-link/import/:id/cancel', {
    config: { access: { resource: 'shortLinks', action: 'create' } },
    schema: {
      operationId: 'cancelImport',
      summary: 'Cancel an import',
      description:
        'Links that were made stay; the rows that are left, counted by notMade, are dropped. The answer waits for the rows that are being made. An import that has ended stays as it is: its state tells how.',
      params: idParamsSchema,
      response: { 200: importSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, em, params: { id } }) =>
      presentImport(await em.transactional((em) => cancelImport(em, actor, id, clock()))),
  });

  app.post('/short-link/import/:id/undo', {
    config: { access: { resource: 'shortLinks', action: 'delete' } },
    schema: {
      operationId: 'undoImport',
      summary: 'Undo an import',
      description:
        'Removes the links that the import made, as a delete of each would, with a link.deleted event each; links that it skipped, and folders and tags, stay. Links that were clicked or edited after the import are kept, unless includeChanged asks for them. The import has to have ended: cancel it before; otherwise 409. The answer comes at once: GET of the import tells the progress. A second undo changes nothing, unless it asks for changed links that the first one kept.',
      params: idParamsSchema,
      body: undoBodySchema,
      response: { 202: importSchema, ...errorResponses(400, 404, 409) },
    },
    handler: async ({ actor, body, em, params: { id } }, reply) => {
      const options = { includeChanged: body.includeChanged ?? false, now: clock() };
      const undone = await em.transactional((em) => undoImport(em, actor, id, options));
      return reply.code(202).send(presentImport(undone));
    },
  });

  app.get('/short-link/import/:id', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'getImport',
      summary: 'Read the progress of an import',
      description: 'Kept for 30 days.',
      params: idParamsSchema,
      response: { 200: importSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id } }) =>
      presentImport(requireOwn(await em.findOne(Import, { id }), actor, 'import')),
  });

  app.get('/short-link/import/:id/rows', {
    config: { access: { resource: 'shortLinks', action: 'read' } },
    schema: {
      operationId: 'listImportRows',
      summary: 'Read the results of the rows of an import',
      description: 'The finished rows, in the order of the file.',
      params: idParamsSchema,
      querystring: importRowsQuerySchema,
      response: { 200: importRowsSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em, params: { id }, query }) => {
      const found = requireOwn(await em.findOne(Import, { id }), actor, 'import');
      const count = query.state === undefined ? found.countDone() : found[query.state];
      const rows = query.limit === 0 ? [] : await em.getRepository(Import).listRows(id, query);
      return { count, data: rows.map(presentImportRow) };
    },
  });
};

async function read(bytes: Buffer): Promise<CsvFile> {
  try {
    return await readCsvFile(bytes, maxImportRows);
  } catch (error) {
    throw error instanceof CsvFileError ? invalid('file', error.message) : error;
  }
}

/** @throws AppError VALIDATION_ERROR without a column for the destination. */
function formatOf({ header }: CsvFile, wanted: ImportFormat | undefined): ImportFormat {
  const format = wanted ?? detectFormat(header);
  if (format === undefined)
    throw invalid('file', 'must have a column for the destination, such as "destination" or "url"');
  if (!hasDestination(format, header))
    throw invalid('file', `must have a column for the destination, as files of the format "${format}" do`);
  return format;
}
