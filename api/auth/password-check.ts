import { createHmac, randomBytes } from 'node:crypto';
import { hashPassword, verifyPassword } from '#commands/organizations/passwords.ts';
import { normalizeEmail } from '#commands/organizations/people.ts';
import type { FairLimit } from '#core/limits/fair-limit.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { Database } from '#db/connection/database.ts';
import { type Credentials, findCredentials } from '#db/organizations/people.ts';
import { claimSignInAttempt, forgiveSignInAttempt } from '#db/attempts.ts';

/** A password that somebody claims to have; `address` is the client's. */
export interface PasswordAttempt {
  email: string;
  password: string;
  address: string;
}

/** What an attempt came to. */
export type PasswordVerdict =
  | { kind: 'right'; credentials: Credentials }
  /** `userId`: the account whose password was tried; null where no account has the e-mail. */
  | { kind: 'wrong'; userId: string | null }
  | { kind: 'throttled'; userId: string | null; retryAfterSeconds: number };

interface PasswordCheckOptions {
  db: Database;
  /** Keys the names under which accounts are counted. */
  sealing: Sealing;
  /** A name for a client's address that does not tell it. */
  nameClient(address: string): string;
  /** Bounds how many passwords are hashed at a time; addresses take turns. */
  gate: FairLimit;
}

/**
 * Makes the check of passwords, throttled over all processes (2.2). An account that is not known takes as long as one that
 * is, and is throttled like it: nobody learns by it who has an account.
 */
export function createPasswordCheck({
  db,
  sealing,
  nameClient,
  gate,
}: PasswordCheckOptions): (attempt: PasswordAttempt) => Promise<PasswordVerdict> {
  const accountKey = sealing.deriveKeys('sign-in account')[0]!;
  const nobodysHash = hashPassword(randomBytes(32).toString('base64url'));

  async function check({ email, password }: PasswordAttempt, client: string): Promise<PasswordVerdict> {
    const name = normalizeEmail(email);
    const account = createHmac('sha256', accountKey).update(name).digest();
    const claim = await db.transaction((tx) => claimSignInAttempt(tx, { account, client }));
    const user = await findCredentials(db, name);
    const userId = user?.id ?? null;
    if (!claim.isAdmitted) return { kind: 'throttled', userId, retryAfterSeconds: claim.retryAfterSeconds };
    const passwordHash = user?.passwordHash ?? (await nobodysHash);
    const isRight = await verifyPassword(passwordHash, password);
    if (!isRight || user === undefined || user.passwordHash === null) return { kind: 'wrong', userId };
    await forgiveSignInAttempt(db, claim.mark);
    return { kind: 'right', credentials: user };
  }

  return (attempt) => {
    const client = nameClient(attempt.address);
    return gate.run([client], () => check(attempt, client));
  };
}
