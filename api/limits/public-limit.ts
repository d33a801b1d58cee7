import type { FastifyRequest } from 'fastify';
import type { ClientLimit } from '#core/limits/client-limit.ts';
import { tooMany } from '#core/errors/errors.ts';

/** Counts a call without key for its client address. @throws AppError RATE_LIMIT_EXCEEDED above the limit. */
export function takePublicCall(limit: ClientLimit, { ip }: Pick<FastifyRequest, 'ip'>): void {
  const retryAfterSeconds = limit.take(ip);
  if (retryAfterSeconds === undefined) return;
  throw tooMany(`Too many requests; try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
}
