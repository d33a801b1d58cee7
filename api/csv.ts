import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { byteOrderMark } from '#core/csv/csv.ts';
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

/** Streams a CSV file. @param pieces empty for HEAD. */
export function sendCsv(
  reply: FastifyReply,
  { name, bom = false }: { name: string; bom: boolean | undefined },
  pieces: Iterable<string> | AsyncIterable<string>,
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(bom ? withMark(pieces) : pieces));
}

async function* withMark(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let mark = byteOrderMark;
  for await (const piece of pieces) {
    yield mark + piece;
    mark = '';
  }
}
