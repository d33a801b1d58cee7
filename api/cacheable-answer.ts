import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNamed } from './etag.ts';

export interface CacheableAnswer {
  type: string;
  body: Buffer;
  etag: string;
}

/** @param type media type of `content`. */
export function createCacheableAnswer(type: string, content: string | Buffer): CacheableAnswer {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
  return { type, body: Buffer.from(content), etag };
}

/** Sends the answer, or 304 to a client that has it. @param cacheControl by default caches keep it and ask again each time. */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, etag }: CacheableAnswer,
  cacheControl = 'no-cache',
): FastifyReply {
  void reply.headers({ etag, 'cache-control': cacheControl });
  return isNamed(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.type(type).send(body);
}
