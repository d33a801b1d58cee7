import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { byteOrderMark, csvLine } from '#core/csv/csv.ts';
import { flagSchema } from './query.ts';

/** Query fields that all exports share. */
export const csvQueryShape = {
  bom: flagSchema
    .optional()
    .describe('Whether the file begins with a byte order mark, by which spreadsheets recognize UTF-8.'),
};

/** Part of the OpenAPI description of every export. */
export const csvNote =
  'Every field is quoted. A field that a spreadsheet would read as a formula (=, +, -, @, a tab, a carriage return or their full-width twins, at its beginning or behind a semicolon, a tab or a line break) gets a leading apostrophe, and another before each formula inside.';

/**
 * Streams a CSV file; of HEAD its headers alone.
 * @param file `columns`: names of the columns, in its first line. @param pages lines of the file.
 */
export function sendCsv(
  reply: FastifyReply,
  { name, columns, bom = false }: { name: string; columns: readonly string[]; bom: boolean | undefined },
  pages: AsyncIterable<string>,
): FastifyReply {
  async function* write(): AsyncGenerator<string> {
    yield (bom ? byteOrderMark : '') + csvLine(columns);
    yield* pages;
  }
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(reply.request.method === 'HEAD' ? [] : write()));
}

/**
 * Pages of an export, as texts: each is read when the one before has been sent.
 * @param first read before the answer starts, so that its failure is answered as an error.
 * @param readNext the page behind another one; undefined: that was the last.
 */
export async function* pagesFrom<Page>(
  first: Page,
  write: (page: Page) => string,
  readNext: (page: Page) => Promise<Page> | undefined,
): AsyncGenerator<string> {
  for (let page: Page | undefined = first; page !== undefined; page = await readNext(page)) yield write(page);
}
