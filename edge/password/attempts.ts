import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import { LRUCache } from 'lru-cache';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { AppError } from '#core/errors/errors.ts';
import { createSharedLimit } from '#core/limits/shared-limit.ts';
import type { Sql } from '#db/connection/database.ts';
import {
  claimLinkPasswordAttempt,
  forgiveLinkPasswordAttempt,
  type LinkPasswordAttempt,
} from '#db/links/visits/password-attempts.ts';

/** Result of an attempt; `busy`: too many attempts wait to be checked; seconds: the client has failed too often. */
type AttemptResult = 'right' | 'wrong' | 'busy' | { retryAfterSeconds: number };

/**
 * Checks a password for a link that has one. How many attempts may fail is decided by `db/links/visits/password-attempts.ts`, how many wait here.
 * @throws (rejects) DatabaseUnreachableError: without the database attempts cannot be counted.
 */
export type PasswordAttempts = (link: CompiledLink, password: string, address: string) => Promise<AttemptResult>;

interface PasswordAttemptsOptions {
  /** Fails at once while the database is unreachable. */
  sql: Sql;
  /** A pseudonym of a client by its address. */
  nameClient(address: string): string;
  /** Unix time in milliseconds. */
  now(): number;
}

// A check occupies one of libuv's four threads, which files and DNS need too.
const checksAtOnce = Math.min(3, Math.max(2, availableParallelism() - 1));
// Attempts that wait or are checked; clients take turns, so that the number bounds memory alone.
const attemptsAtOnce = 2_000;
// Of one client, enough for a company or a lecture hall behind one address.
const waitingPerClient = 240;
const maxBlocked = 10_000;
// A password has at most 128 characters; a character takes up to two units and, decomposed, a few more.
const maxPasswordUnits = 512;

/**
 * Checks passwords (4.7), a few at a time; how many may be wrong is counted in `db/links/visits/password-attempts.ts`, over all edges.
 * Links take turns, and within a link the clients do. The attempts of a client are checked one after the other, so that a right one
 * is forgiven before the next one is counted. Blocked clients are remembered here, so that a flood of attempts causes no queries.
 */
export function createPasswordAttempts({ sql, nameClient, now }: PasswordAttemptsOptions): PasswordAttempts {
  const byClient = createSharedLimit({
    atOnce: attemptsAtOnce,
    ofOne: 1,
    waiting: 0,
    waitingOfOne: waitingPerClient,
  });
  const byLink = createSharedLimit({
    atOnce: checksAtOnce,
    ofOne: checksAtOnce,
    waiting: Number.POSITIVE_INFINITY,
  });
  /** Until when (Unix time in milliseconds) a client is blocked for a link. */
  const blocked = new LRUCache<string, number>({ max: maxBlocked });

  function secondsBlocked(name: string): number {
    return Math.ceil(Math.max(0, (blocked.get(name) ?? 0) - now()) / 1_000);
  }

  async function check(link: CompiledLink, password: string, client: string): Promise<AttemptResult> {
    const name = link.id + client;
    // Attempts that waited behind ten wrong ones are refused without a query.
    const secondsLeft = secondsBlocked(name);
    if (secondsLeft > 0) return { retryAfterSeconds: secondsLeft };
    const attempt: LinkPasswordAttempt = { linkId: link.id, client };
    // Counted as failed before the check, so that the limit holds over all processes.
    const claim = await claimLinkPasswordAttempt(sql, attempt);
    if (!claim.isAdmitted) {
      blocked.set(name, now() + claim.retryAfterSeconds * 1_000);
      return { retryAfterSeconds: claim.retryAfterSeconds };
    }
    if (!(await isRight(link.passwordHash!, password))) return 'wrong';
    await forgiveLinkPasswordAttempt(sql, attempt, claim.mark);
    return 'right';
  }

  return async (link, password, address) => {
    const client = nameClient(address);
    const retryAfterSeconds = secondsBlocked(link.id + client);
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    try {
      return await byClient(client, () => byLink(link.id, () => check(link, password, client)));
    } catch (error) {
      if (error instanceof AppError) return 'busy';
      throw error;
    }
  };
}

/** Whether a password is the one that was hashed, however its letters are composed. */
async function isRight(passwordHash: string, password: string): Promise<boolean> {
  const composed = password.normalize('NFC');
  if (composed.length > maxPasswordUnits) return false;
  if (await verify(passwordHash, composed)) return true;
  // Hashes of older releases are of the password as it was typed.
  return composed !== password && verify(passwordHash, password);
}
