import { LRUCache } from 'lru-cache';
import { batchBySubject } from '#core/limits/batch-by-subject.ts';
import type { Sql } from '#db/connection/database.ts';
import { type RateGrant, type RateLimits, takeCalls } from '#db/rate-limits.ts';

/** A caller's rate limit after a call, in the window with fewer calls left. */
export interface RateStanding {
  ok: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends, rounded up. */
  resetSeconds: number;
  /** The key's current stamp; null: the key is revoked; undefined: not read. */
  stamp?: string | null;
}

/** Counts calls of API keys, users and client addresses exactly, over all processes of one database. */
export interface Limiter {
  /** Counts a call of an API key, by the key's id. */
  takeKey(keyId: string): Promise<RateStanding>;
  /** Counts a call of a signed-in user, by the user's id. The limit is ten times that of a key (1.7). */
  takeUser(userId: string): Promise<RateStanding>;
  /** Counts a call without valid key, by the hash of the client's address. */
  takeClient(client: string): Promise<RateStanding>;
}

interface LimiterOptions {
  sql: Sql;
  limits: RateLimits;
  /** A monotonic clock in milliseconds. */
  monotonicMs?: () => number;
}

interface Block {
  untilMs: number;
  limit: number;
}

const rememberedBlocks = 20_000;
const keyPrefix = 'key:';
const userPrefix = 'user:';
const userFactor = 10;
const mostCalls = 2_000_000_000;

/**
 * Counts calls that arrive together in one statement. A caller over the limit is refused from memory until the window
 * ends.
 */
export function createLimiter({ sql, limits, monotonicMs = () => performance.now() }: LimiterOptions): Limiter {
  const blocks = new LRUCache<string, Block>({ max: rememberedBlocks });
  const userLimits = {
    perSecond: Math.min(limits.perSecond * userFactor, mostCalls),
    perMinute: Math.min(limits.perMinute * userFactor, mostCalls),
  };
  const limitsOf = (subject: string): RateLimits => (subject.startsWith(userPrefix) ? userLimits : limits);
  const take = batchBySubject((subject, count) => {
    const keyId = subject.startsWith(keyPrefix) ? subject.slice(keyPrefix.length) : null;
    return takeCalls(sql, { subject, keyId, count, limits: limitsOf(subject) });
  });

  async function count(subject: string): Promise<RateStanding> {
    const block = blocks.get(subject);
    if (block !== undefined) {
      const leftMs = block.untilMs - monotonicMs();
      if (leftMs > 0) return { ok: false, limit: block.limit, remaining: 0, resetSeconds: toSeconds(leftMs) };
      blocks.delete(subject);
    }
    const itsLimits = limitsOf(subject);
    const { ok, place, grant } = await take(subject);
    const standing = { ...tighterWindow(grant, place, itsLimits), ok, stamp: grant.stamp };
    const blockMs = blockedForMs(grant, itsLimits);
    if (blockMs > 0) {
      const { perSecond, perMinute } = itsLimits;
      const limit = grant.minute.used >= perMinute ? perMinute : perSecond;
      blocks.set(subject, { untilMs: monotonicMs() + blockMs, limit });
    }
    return standing;
  }

  return {
    takeKey: (keyId) => count(`${keyPrefix}${keyId}`),
    takeUser: (userId) => count(`${userPrefix}${userId}`),
    takeClient: (client) => count(`client:${client}`),
  };
}

function tighterWindow(grant: RateGrant, place: number, limits: RateLimits): Omit<RateStanding, 'ok'> {
  // Calls that were granted in the same statement after this one do not count against it.
  const later = Math.max(0, grant.granted - place - 1);
  const second = Math.max(0, limits.perSecond - grant.second.used + later);
  const minute = Math.max(0, limits.perMinute - grant.minute.used + later);
  return minute <= second
    ? { limit: limits.perMinute, remaining: minute, resetSeconds: toSeconds(grant.minute.resetMs) }
    : { limit: limits.perSecond, remaining: second, resetSeconds: toSeconds(grant.second.resetMs) };
}

function blockedForMs({ second, minute }: RateGrant, limits: RateLimits): number {
  return Math.max(
    second.used >= limits.perSecond ? second.resetMs : 0,
    minute.used >= limits.perMinute ? minute.resetMs : 0,
  );
}

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));
