import { sql } from 'kysely';
import { uuidv7 } from '#core/lib/uuid.ts';
import { type AttemptClaim, attemptsCountForMs, refuse } from '#db/links/visits/password-attempts.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockName } from '#db/connection/locks.ts';
import { SignInFailure } from '#db/entities/accounts/people.ts';

/** How many attempts count in a quarter of an hour: those of an account by one client, and by all. */
interface AttemptLimits {
  ofClient: number;
  ofAccount: number;
}

// Promised (2.2).
const signInLimits: AttemptLimits = { ofClient: 10, ofAccount: 100 };
/** Of a browser in which the person has signed in before: failures elsewhere do not count there, nor its own elsewhere (2.2). */
export const knownDeviceLimits: AttemptLimits = { ofClient: 10, ofAccount: 10 };

/**
 * Claims an attempt to sign in: an account and client together have 10 that fail, and an account 100 (2.2). Attempts at one
 * account are counted one after the other.
 * @param attempt keyed hashes of the e-mail, and of the client's address.
 */
export async function claimSignInAttempt(
  em: EntityManager,
  { account, client }: { account: Buffer; client: string },
  limits = signInLimits,
): Promise<AttemptClaim> {
  await lockName(em, `sign-in ${account.toString('hex')}`);
  // By the clock once the lock is held: the transaction began before, and an attempt that held the lock may be later than that.
  const now = sql<Date>`clock_timestamp()`;
  const counted = await em.kysely
    .selectFrom('SignInFailure')
    .select(({ fn }) => [
      now.as('now'),
      fn.countAll<number>().as('ofAccount'),
      fn.countAll<number>().filterWhere('client', '=', client).as('ofClient'),
      fn.min('failedAt').as('accountSince'),
      fn.min('failedAt').filterWhere('client', '=', client).as('clientSince'),
    ])
    .where('account', '=', account)
    .where('failedAt', '>', sql<Date>`${now} - ${attemptsCountForMs} * interval '1 millisecond'`)
    .executeTakeFirstOrThrow();
  const since = [
    ...(counted.ofClient < limits.ofClient ? [] : [counted.clientSince]),
    ...(counted.ofAccount < limits.ofAccount ? [] : [counted.accountSince]),
  ].map((oldest) => oldest.getTime());
  if (since.length > 0)
    return refuse(Math.ceil((Math.max(...since) + attemptsCountForMs - counted.now.getTime()) / 1_000));
  const id = uuidv7();
  em.create(SignInFailure, { id, account, client, failedAt: counted.now });
  return { isAdmitted: true, mark: id };
}
