import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { spellAddress } from '#core/http/address-ranges.ts';
import { batchBySubject } from '#core/limits/batch-by-subject.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import type { Sql } from '#db/connection/database.ts';
import { type CalledKey, takeKeyCalls } from '#db/organizations/key-lookup.ts';
import { type RateGrant, type RateLimits, takeCalls } from '#db/rate-limits.ts';

/** A caller's rate limit after a call, in the window with fewer calls left. */
export interface RateState {
  ok: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends, rounded up. */
  resetSeconds: number;
}

export type Limiter = ReturnType<typeof createLimiter>;

interface Block {
  untilMs: number;
  limit: number;
}

const rememberedBlocks = 20_000;
const userFactor = 10;
const mostCalls = 2_000_000_000;

/**
 * Counts calls of API keys, users and client addresses exactly, over all processes of one database. Calls that arrive together are
 * counted in one statement. A caller over the limit is not counted until the window ends, but its key is read all the same: a
 * revocation is in force with the next call.
 */
export function createLimiter({ sql, limits }: { sql: Sql; limits: RateLimits }) {
  const blocks = new LRUCache<string, Block>({ max: rememberedBlocks });
  const userLimits = {
    perSecond: Math.min(limits.perSecond * userFactor, mostCalls),
    perMinute: Math.min(limits.perMinute * userFactor, mostCalls),
  };
  const takeKeyBatch = batchBySubject(async (subject, count) => {
    const [hash = '', address = ''] = subject.split(' ');
    const call = { keyHash: Buffer.from(hash, 'hex'), address: address === '' ? null : address };
    const blocked = findBlock(subject);
    const taken = await takeKeyCalls(sql, { ...call, count: blocked === undefined ? count : 0, limits });
    return { granted: taken.calls?.granted ?? 0, ...taken, blocked };
  });
  const takeUserBatch = batchBySubject((subject, count) => takeCalls(sql, { subject, count, limits: userLimits }));
  const takeClientBatch = batchBySubject((subject, count) => takeCalls(sql, { subject, count, limits }));

  function findBlock(subject: string): RateState | undefined {
    const block = blocks.get(subject);
    if (block === undefined) return undefined;
    const leftMs = block.untilMs - performance.now();
    if (leftMs > 0) return { ok: false, limit: block.limit, remaining: 0, resetSeconds: toSeconds(leftMs) };
    blocks.delete(subject);
    return undefined;
  }

  /** The rate limit after the call at `place` of a batch; a caller over the limit is blocked. */
  function stateOf(subject: string, grant: RateGrant, place: number, its: RateLimits): RateState {
    const blockMs = blockedForMs(grant, its);
    if (blockMs > 0) {
      const limit = grant.minute.used >= its.perMinute ? its.perMinute : its.perSecond;
      blocks.set(subject, { untilMs: performance.now() + blockMs, limit });
    }
    return { ...tighterWindow(grant, place, its), ok: place < grant.granted };
  }

  async function count(subject: string, take: typeof takeUserBatch, its: RateLimits): Promise<RateState> {
    const blocked = findBlock(subject);
    if (blocked !== undefined) return blocked;
    const { place, grant } = await take(subject);
    return stateOf(subject, grant, place, its);
  }

  return {
    /** Counts a call with a key. @returns no `rate` where the call does not count for a key. */
    async takeKey(value: string, address: string): Promise<CalledKey & { rate?: RateState }> {
      // An address of a link has its interface behind a percent sign.
      const bare = address.replace(/%.*$/, '');
      const subject = `${hashToken(value).toString('hex')} ${isIP(bare) === 0 ? '' : spellAddress(bare)}`;
      const { place, grant } = await takeKeyBatch(subject);
      const { key, isAllowed, calls, blocked } = grant;
      if (isAllowed && blocked !== undefined) return { key, isAllowed, rate: blocked };
      return { key, isAllowed, ...(calls && { rate: stateOf(subject, calls, place, limits) }) };
    },
    /** Counts a call of a signed-in user, by the user's id. The limit is ten times that of a key (1.7). */
    takeUser: (userId: string) => count(`user:${userId}`, takeUserBatch, userLimits),
    /** Counts a call without valid key, by the hash of the client's address. */
    takeClient: (client: string) => count(`client:${client}`, takeClientBatch, limits),
  };
}

function tighterWindow(grant: RateGrant, place: number, limits: RateLimits): Omit<RateState, 'ok'> {
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
