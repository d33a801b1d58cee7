import { verify } from '@node-rs/argon2';
import type { CompiledLink } from '../../core/compiled-link.ts';
import { AppError } from '../../core/errors.ts';
import { createGate } from '../../core/gate.ts';
import type { Sql } from '../../db/database.ts';
import { claimTry, forgetOldTries, forgiveTry } from '../../db/link-passwords.ts';
import { createClockMap } from '../clock-map.ts';

/** What became of a try; seconds where it may not be made now. */
export type TryResult = 'right' | 'wrong' | { retryAfterSeconds: number };

/**
 * Tries the password of a link, which has one.
 * @throws (rejects) DatabaseAwayError: without the database tries cannot be counted.
 */
export type PasswordTries = (link: CompiledLink, password: string, address: string) => Promise<TryResult>;

/** Settings of `createPasswordTries`. */
export interface PasswordTriesOptions {
  /** Fails at once while the database is away. */
  sql: Sql;
  /** Names a client by its address without telling the address. */
  nameClient(address: string): string;
  /** Unix time in milliseconds. */
  now(): number;
}

// A check takes one of the threads that files and DNS need too.
const checksAtOnce = 1;
const checksWaiting = 32;
const busySeconds = 5;
const maxBlocked = 10_000;
const maxBlockedBytes = 4 * 1_024 * 1_024;
const forgetEveryMs = 60_000;
// Twice 128 characters: some take two units.
const maxPasswordUnits = 256;

/**
 * Makes the check of passwords: one at a time, 32 waiting, the rest refused. Who has failed too often is known here for as
 * long, so that a flood of tries costs the database nothing.
 */
export function createPasswordTries({ sql, nameClient, now }: PasswordTriesOptions): PasswordTries {
  const gate = createGate({ slots: checksAtOnce, waiting: checksWaiting });
  /** Until when (Unix time in milliseconds) a client may not try a link. */
  const blocked = createClockMap<number>({ max: maxBlocked, maxBytes: maxBlockedBytes });
  let forgetAtMs = 0;

  function forget(): void {
    if (now() < forgetAtMs) return;
    forgetAtMs = now() + forgetEveryMs;
    // The next time will do.
    forgetOldTries(sql).catch(() => undefined);
  }

  async function check(link: CompiledLink, password: string, client: string): Promise<TryResult> {
    const tried = { linkId: link.id, client };
    // Counted as failed before it is looked at, so that no number of processes can try more often.
    const claim = await claimTry(sql, tried);
    forget();
    if (!claim.isAdmitted) {
      const { retryAfterSeconds } = claim;
      blocked.set(link.id + client, now() + retryAfterSeconds * 1_000);
      return { retryAfterSeconds };
    }
    if (password.length > maxPasswordUnits || !(await verify(link.passwordHash!, password))) return 'wrong';
    await forgiveTry(sql, tried, claim.mark);
    return 'right';
  }

  return async (link, password, address) => {
    const client = nameClient(address);
    const leftMs = (blocked.get(link.id + client) ?? 0) - now();
    if (leftMs > 0) return { retryAfterSeconds: Math.ceil(leftMs / 1_000) };
    try {
      return await gate.run(() => check(link, password, client));
    } catch (error) {
      if (error instanceof AppError) return { retryAfterSeconds: busySeconds };
      throw error;
    }
  };
}
