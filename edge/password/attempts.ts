import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import type { CompiledLink } from '#core/routing/compiled-link.ts';
import { AppError } from '#core/errors/errors.ts';
import { createFairLimit } from '#core/limits/fair-limit.ts';
import type { Sql } from '#db/connection/database.ts';
import {
  claimLinkPasswordAttempt,
  forgiveLinkPasswordAttempt,
  type LinkPasswordAttempt,
} from '#db/links/visits/password-attempts.ts';
import { LRUCache } from 'lru-cache';

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
// At some 50 ms a check and two or three at a time the last one waits about 20 s, less than browsers do.
const checksWaiting = 1_000;
// A choice: enough for a company or a lecture hall behind one address.
const waitingPerClient = 240;
const patienceMs = 25_000;
const maxBlocked = 10_000;
// A password has at most 128 characters; a character takes up to two units and, decomposed, a few more.
const maxPasswordUnits = 512;

/**
 * Checks passwords (4.7), a few at a time; how many may be wrong is counted in `db/links/visits/password-attempts.ts`, over all edges. Links take turns, and within a link the addresses do; when too many attempts wait,
 * one of the address with the most is refused. Blocked clients are remembered here, so that a flood of attempts causes no
 * queries.
 */
export function createPasswordAttempts({ sql, nameClient, now }: PasswordAttemptsOptions): PasswordAttempts {
  const gate = createFairLimit({ slots: checksAtOnce, waiting: checksWaiting, patienceMs });
  /** How many attempts of a client are waiting or being checked, for all links together. */
  const attemptsOf = new Map<string, number>();
  /** Checks under way, by link and client; `forgiven` counts right passwords since the first of these checks began. */
  const underWay = new Map<string, { checks: Set<Promise<void>>; forgiven: number }>();
  /** Until when (Unix time in milliseconds) a client is blocked for a link. */
  const blocked = new LRUCache<string, number>({ max: maxBlocked });

  function secondsBlocked(name: string): number {
    return Math.ceil(Math.max(0, (blocked.get(name) ?? 0) - now()) / 1_000);
  }

  async function check(link: CompiledLink, password: string, client: string): Promise<AttemptResult> {
    const name = link.id + client;
    for (;;) {
      // Attempts that waited behind ten wrong ones are refused without a query.
      const secondsLeft = secondsBlocked(name);
      if (secondsLeft > 0) return { retryAfterSeconds: secondsLeft };
      const { result, others } = await checkOnce({ linkId: link.id, client }, link.passwordHash!, password);
      if (typeof result === 'string') return result;
      if (others.length === 0) {
        blocked.set(name, now() + result.retryAfterSeconds * 1_000);
        return result;
      }
      // Some attempts that count against this one are still being checked, and may be right.
      await Promise.race(others);
    }
  }

  /** @returns the result, and after a refusal the other checks for this link and client that may let the attempt in after all. */
  async function checkOnce(
    attempt: LinkPasswordAttempt,
    passwordHash: string,
    password: string,
  ): Promise<{ result: AttemptResult; others: Promise<void>[] }> {
    const name = attempt.linkId + attempt.client;
    const state = underWay.get(name) ?? { checks: new Set(), forgiven: 0 };
    underWay.set(name, state);
    const { checks, forgiven } = state;
    const { promise, resolve } = Promise.withResolvers<void>();
    checks.add(promise);
    try {
      // Counted as failed before the check, so that the limit holds over all processes.
      const claim = await claimLinkPasswordAttempt(sql, attempt);
      if (!claim.isAdmitted) {
        const { retryAfterSeconds } = claim;
        // One that counted against this attempt was right while the database answered.
        if (state.forgiven !== forgiven) return { result: { retryAfterSeconds }, others: [Promise.resolve()] };
        return { result: { retryAfterSeconds }, others: [...checks].filter((check) => check !== promise) };
      }
      if (!(await isRight(passwordHash, password))) return { result: 'wrong', others: [] };
      await forgiveLinkPasswordAttempt(sql, attempt, claim.mark);
      state.forgiven += 1;
      return { result: 'right', others: [] };
    } finally {
      resolve();
      checks.delete(promise);
      if (checks.size === 0 && underWay.get(name) === state) underWay.delete(name);
    }
  }

  return async (link, password, address) => {
    const client = nameClient(address);
    const retryAfterSeconds = secondsBlocked(link.id + client);
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    const attempts = attemptsOf.get(client) ?? 0;
    if (attempts >= waitingPerClient) return 'busy';
    attemptsOf.set(client, attempts + 1);
    try {
      return await gate.run([link.id, client], () => check(link, password, client));
    } catch (error) {
      if (error instanceof AppError) return 'busy';
      throw error;
    } finally {
      const left = attemptsOf.get(client)! - 1;
      if (left === 0) attemptsOf.delete(client);
      else attemptsOf.set(client, left);
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
