import { createHmac } from 'node:crypto';
import { recordSignIn, type SignInAction } from '#commands/organizations/audit.ts';
import { acceptProof, type Proof } from '#commands/accounts/second-factors.ts';
import { AppError, tooMany } from '#core/errors/errors.ts';
import type { Passkeys } from '#core/accounts/passkeys.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { SignInFailure } from '#db/entities/accounts/people.ts';
import type { Credentials } from '#db/organizations/people.ts';
import { findMethods } from '#db/accounts/second-factors.ts';
import { claimSignInAttempt } from '#db/accounts/sign-in-attempts.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { type Challenge, type Challenges, challengeLivesSeconds } from './challenges.ts';

interface GivenProof {
  userId: string;
  proof: Proof;
  /** What a passkey must have signed. */
  challenge: Challenge | undefined;
  /** Whether a passkey stands alone. */
  isAlone?: boolean;
  address: string;
}

export type SecondStep = ReturnType<typeof createSecondStep>;

// Of one person, whatever the client: only a password, or a session, leads to a guess, so that strangers cannot lock a person out. Three of a
// million codes count at a time: by 10 guesses in 15 minutes one of 350 people's is found in a day, by someone who has the password.
const guessLimits = { ofClient: 10, ofAccount: 10 };

/** The step of a sign-in after the password. */
export function createSecondStep(
  { sealing, nameClient, clock }: Pick<ApiDependencies, 'sealing' | 'nameClient' | 'clock'>,
  challenges: Challenges,
  passkeys: Passkeys,
) {
  const accountKey = sealing.deriveKeys('second factor account')[0]!;

  /** @returns the mark of a guess, to be removed where it is right. */
  async function claimGuess(em: EntityManager, userId: string, address: string): Promise<string> {
    const account = createHmac('sha256', accountKey).update(userId).digest();
    const client = nameClient(address);
    const claim = await em.transactional((em) => claimSignInAttempt(em, { account, client }, guessLimits));
    if (claim.isAdmitted) return claim.mark;
    await recordSignIn(em, { action: 'auth.secondFactorThrottled', userId, client }, clock());
    const { retryAfterSeconds } = claim;
    throw tooMany(`Too many wrong codes; try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
  }

  return {
    /** @throws AppError SECOND_FACTOR_REQUIRED, with a token, where the person whose password is right has a second factor. */
    async askFor(em: EntityManager, credentials: Credentials): Promise<void> {
      const methods = await findMethods(em, credentials.id);
      if (methods.length === 0) return;
      const whose = { userId: credentials.id, boundTo: credentials.passwordHash };
      const { token } = challenges.issue('sign-in', whose, clock());
      const details = { token, methods, expiresInSeconds: challengeLivesSeconds };
      throw new AppError('SECOND_FACTOR_REQUIRED', undefined, details);
    },
    /**
     * Checks a proof, and runs what it allows in the same transaction: where that fails, no code is used up. Wrong codes are throttled
     * over all processes. @returns undefined for a wrong proof.
     * @throws AppError RATE_LIMIT_EXCEEDED after too many wrong codes.
     */
    async tryProof<Result>(
      em: EntityManager,
      { userId, proof, challenge, isAlone = false, address }: GivenProof,
      then: (em: EntityManager, now: Date) => Promise<Result>,
    ): Promise<{ result: Result } | undefined> {
      // A signature cannot be guessed.
      const mark = proof.method === 'passkey' ? undefined : await claimGuess(em, userId, address);
      const now = clock();
      const options = { challenge: challenge?.challenge, needsVerification: isAlone, now, sealing, passkeys };
      const accepted = await em.transactional(async (em) => {
        if (!(await acceptProof(em, userId, proof, options))) return undefined;
        return { result: await then(em, now) };
      });
      if (accepted === undefined) {
        const line = { action: 'auth.secondFactorFailed', userId, client: nameClient(address) } as const;
        await recordSignIn(em, line, now);
      } else if (mark !== undefined) await em.nativeDelete(SignInFailure, { id: mark });
      return accepted;
    },
  };
}

/** What a sign-in by a second factor leaves in the audit log. */
export function actionOf(proof: Proof, isAlone: boolean): SignInAction {
  if (isAlone) return 'auth.passkey';
  return proof.method === 'recoveryCode' ? 'auth.recoveryCode' : 'auth.login';
}
