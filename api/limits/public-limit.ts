import type { FastifyRequest } from 'fastify';
import { createClientLimit } from '#core/limits/client-limit.ts';
import { tooMany } from '#core/errors/errors.ts';

/**
 * Limits calls without key by the client's address.
 * @returns a function that counts a call. @throws AppError RATE_LIMIT_EXCEEDED above the limit.
 */
export function createPublicLimit(perSecond: number): (request: Pick<FastifyRequest, 'ip'>) => void {
  const limit = createClientLimit({ perWindow: perSecond, windowMs: 1_000 });
  return ({ ip }) => {
    const retryAfterSeconds = limit.take(ip);
    if (retryAfterSeconds === undefined) return;
    throw tooMany(`Too many requests; try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
  };
}
