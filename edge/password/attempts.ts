import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import type { CompiledLink } from '#core/routing/compiled-link.ts';
import { AppError } from '#core/errors/errors.ts';
import { createFairLimit } from '#core/limits/fair-limit.ts';
import type { Sql } from '#db/connection/database.ts';
import {
  claimLinkPasswordAttempt,
  forgetLinkPasswordAttempts,
  forgiveLinkPasswordAttempt,
  type LinkPasswordAttempt,
} from '#db/attempts.ts';
import { createBoundedCache } from '#edge/bounded-cache.ts';

/** What became of a try; `busy`: too many wait to be checked; seconds where the client has failed too often. */
export type AttemptResult = 'right' | 'wrong' | 'busy' | { retryAfterSeconds: number };

/**
 * Tries the password of a link, which has one.
 * @throws (rejects) DatabaseUnreachableError: without the database tries cannot be counted.
 */
export type PasswordAttempts = (link: CompiledLink, password: string, address: string) => Promise<AttemptResult>;

/** Settings of `createPasswordAttempts`. */
export interface PasswordAttemptsOptions {
  /** Fails at once while the database is away. */
  sql: Sql;
  /** Names a client by its address without telling the address. */
  nameClient(address: string): string;
  /** Unix time in milliseconds. */
  now(): number;
}

// A check takes one of libuv's four threads, which files and DNS need too.
const checksAtOnce = Math.min(3, Math.max(2, availableParallelism() - 1));
// At some 50 ms each the last of them waits for about 20 s, and browsers wait longer.
const checksWaiting = 1_000;
// A company or a lecture hall behind one address; more at once are sooner guessers.
const waitingPerClient = 240;
const patienceMs = 25_000;
const maxBlocked = 10_000;
const maxBlockedBytes = 4 * 1_024 * 1_024;
const forgetEveryMs = 60_000;
// 128 characters, of which some take two units and, decomposed, a few more.
const maxPasswordUnits = 512;

/**
 * Makes the check of passwords (4.7): a few at a time. Links take turns, and so do the addresses that try one; when too many
 * wait, the greediest is told to come again. Who has failed too often is known here for as long, so that a flood of tries costs
 * the database nothing.
 */
export function createPasswordAttempts({ sql, nameClient, now }: PasswordAttemptsOptions): PasswordAttempts {
  const gate = createFairLimit({ slots: checksAtOnce, waiting: checksWaiting, patienceMs });
  /** How many tries of a client are waiting or being checked, for all links together. */
  const triesOf = new Map<string, number>();
  /** Checks under way, by link and client. */
  const underWay = new Map<string, Set<Promise<void>>>();
  /** Until when (Unix time in milliseconds) a client may not try a link. */
  const blocked = createBoundedCache<number>({ max: maxBlocked, maxBytes: maxBlockedBytes });
  let forgetAtMs = 0;

  function forget(): void {
    if (now() < forgetAtMs) return;
    forgetAtMs = now() + forgetEveryMs;
    // The next time will do.
    forgetLinkPasswordAttempts(sql).catch(() => undefined);
  }

  function secondsBlocked(name: string): number {
    return Math.ceil(Math.max(0, (blocked.get(name) ?? 0) - now()) / 1_000);
  }

  async function check(link: CompiledLink, password: string, client: string): Promise<AttemptResult> {
    const name = link.id + client;
    for (;;) {
      // Of those that waited behind ten wrong ones none asks the database.
      const secondsLeft = secondsBlocked(name);
      if (secondsLeft > 0) return { retryAfterSeconds: secondsLeft };
      const { result, others } = await checkOnce({ linkId: link.id, client }, link.passwordHash!, password);
      if (typeof result === 'string') return result;
      if (others.length === 0) {
        blocked.set(name, now() + result.retryAfterSeconds * 1_000);
        return result;
      }
      // Of the tries that count against this one some are still being checked, and may be right.
      await Promise.race(others);
    }
  }

  /** @returns the result, and what else was being checked for this link and client when it came. */
  async function checkOnce(
    tried: LinkPasswordAttempt,
    passwordHash: string,
    password: string,
  ): Promise<{ result: AttemptResult; others: Promise<void>[] }> {
    const name = tried.linkId + tried.client;
    const checks = underWay.get(name) ?? new Set();
    underWay.set(name, checks);
    const { promise, resolve } = Promise.withResolvers<void>();
    checks.add(promise);
    try {
      // Counted as failed before it is looked at, so that no number of processes can try more often.
      const claim = await claimLinkPasswordAttempt(sql, tried);
      forget();
      if (!claim.isAdmitted) {
        const { retryAfterSeconds } = claim;
        return { result: { retryAfterSeconds }, others: [...checks].filter((check) => check !== promise) };
      }
      if (!(await isRight(passwordHash, password))) return { result: 'wrong', others: [] };
      await forgiveLinkPasswordAttempt(sql, tried, claim.mark);
      return { result: 'right', others: [] };
    } finally {
      resolve();
      checks.delete(promise);
      if (checks.size === 0 && underWay.get(name) === checks) underWay.delete(name);
    }
  }

  return async (link, password, address) => {
    const client = nameClient(address);
    const retryAfterSeconds = secondsBlocked(link.id + client);
    if (retryAfterSeconds > 0) return { retryAfterSeconds };
    const tries = triesOf.get(client) ?? 0;
    if (tries >= waitingPerClient) return 'busy';
    triesOf.set(client, tries + 1);
    try {
      return await gate.run([link.id, client], () => check(link, password, client));
    } catch (error) {
      if (error instanceof AppError) return 'busy';
      throw error;
    } finally {
      const left = triesOf.get(client)! - 1;
      if (left === 0) triesOf.delete(client);
      else triesOf.set(client, left);
    }
  };
}

/** Whether a password is the one that was hashed, however its letters are composed. */
async function isRight(passwordHash: string, password: string): Promise<boolean> {
  const composed = password.normalize('NFC');
  if (composed.length > maxPasswordUnits) return false;
  if (await verify(passwordHash, composed)) return true;
  // Hashes from before passwords were composed.
  return composed !== password && verify(passwordHash, password);
}
