import { createHmac, randomBytes } from 'node:crypto';
import { hashPassword, verifyPassword } from '#commands/accounts/passwords.ts';
import { normalizeEmail } from '#commands/accounts/people.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { SignInFailure, User } from '#db/entities/accounts/people.ts';
import type { Credentials } from '#db/organizations/people.ts';
import { isKnownDevice } from '#db/accounts/devices.ts';
import { claimSignInAttempt, knownDeviceLimits } from '#db/accounts/sign-in-attempts.ts';
import type { ApiDependencies } from '#api/dependencies.ts';

/** One sign-in attempt; `address` is the client's. */
interface PasswordAttempt {
  email: string;
  password: string;
  address: string;
  /** The token by which the browser may be known to the account. */
  deviceToken: string | undefined;
}

type PasswordVerdict =
  | { kind: 'right'; credentials: Credentials }
  /** `userId`: the account of the e-mail address; null where there is none. */
  | { kind: 'wrong'; userId: string | null }
  | { kind: 'throttled'; userId: string | null; retryAfterSeconds: number };

/** What the password of an unknown account is compared with. */
const unknownHash = hashPassword(randomBytes(32).toString('base64url'));

/**
 * Checks passwords; failures are throttled over all processes (2.2). An unknown account takes as long and is throttled like a
 * known one, so that callers cannot find out which accounts exist. A browser that is known to the account has tries of its own: others
 * cannot keep the person out by failures.
 */
export function createPasswordCheck({ em, sealing, nameClient, shares }: ApiDependencies) {
  // Hashes the names under which failures are counted.
  const accountKey = sealing.deriveKeys('sign-in account')[0]!;

  async function check({ email, password, deviceToken }: PasswordAttempt, client: string): Promise<PasswordVerdict> {
    const name = normalizeEmail(email);
    const isKnown =
      deviceToken !== undefined && (await isKnownDevice(em.fork(), { email: name, tokenHash: hashToken(deviceToken) }));
    const counted = isKnown ? `${name}\0${deviceToken}` : name;
    const account = createHmac('sha256', accountKey).update(counted).digest();
    const limits = isKnown ? knownDeviceLimits : undefined;
    const claim = await em.transactional((em) => claimSignInAttempt(em, { account, client }, limits));
    const user = await em.fork().getRepository(User).findCredentials({ email: name });
    const userId = user?.id ?? null;
    if (!claim.isAdmitted) return { kind: 'throttled', userId, retryAfterSeconds: claim.retryAfterSeconds };
    const passwordHash = user?.passwordHash ?? (await unknownHash);
    const isRight = await verifyPassword(passwordHash, password);
    if (!isRight || user === undefined || user.passwordHash === null) return { kind: 'wrong', userId };
    await em.fork().nativeDelete(SignInFailure, { id: claim.mark });
    return { kind: 'right', credentials: user };
  }

  return (attempt: PasswordAttempt) => {
    const client = nameClient(attempt.address);
    return shares.hashing(client, () => check(attempt, client));
  };
}
