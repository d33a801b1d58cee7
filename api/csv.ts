import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Answers with a file of CSV, piece by piece as the client takes it. @param pieces none for HEAD: nothing of them is sent. */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  pieces: Iterable<string> | AsyncIterable<string>,
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(pieces));
}
