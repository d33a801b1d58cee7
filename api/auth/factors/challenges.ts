import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hashToken } from '#core/organizations/api-key.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { spendChallenge } from '#db/accounts/second-factors.ts';

/** What a challenge is for; one of another purpose does not open. */
type Purpose = 'sign-in' | 'passkey sign-in' | 'passkey registration' | 'confirmation';

const challengeSchema = z.strictObject({
  /** What a passkey signs: 32 random bytes, base64url. */
  challenge: z.string(),
  /** Whose it is; null: of a passkey that signs in alone, which tells its person. */
  userId: z.guid().nullable(),
  /** Hash of what else has to be the same when it is answered: the password's hash, or the session. */
  bound: z.string().nullable(),
  /** Milliseconds. */
  expiresAt: z.number(),
});

export type Challenge = z.output<typeof challengeSchema>;

/** Five minutes: to fetch a phone, to find a recovery code. */
export const challengeLivesSeconds = 300;

export type Challenges = ReturnType<typeof createChallenges>;

/** Keeps questions that are under way in sealed tokens: calls of strangers leave no rows behind, answered ones do. */
export function createChallenges(sealing: Sealing) {
  const sealPurpose = (purpose: Purpose): string => `second factor ${purpose}`;
  const hash = (text: string): string => hashToken(text).toString('base64url');
  return {
    /** @returns the challenge and its token, which only this installation can open. */
    issue(purpose: Purpose, whose: { userId?: string; boundTo?: string | null }, now: Date) {
      const { userId = null, boundTo = null } = whose;
      const challenge: Challenge = {
        challenge: randomBytes(32).toString('base64url'),
        userId,
        bound: boundTo === null ? null : hash(boundTo),
        expiresAt: now.getTime() + challengeLivesSeconds * 1_000,
      };
      const token = sealing.seal(sealPurpose(purpose), JSON.stringify(challenge)).toString('base64url');
      return { challenge, token };
    },
    /** @returns undefined for a token that has ended, or is of another purpose. */
    open(purpose: Purpose, token: string, now: Date): Challenge | undefined {
      try {
        const opened = sealing.open(sealPurpose(purpose), Buffer.from(token, 'base64url')).toString();
        const challenge = challengeSchema.parse(JSON.parse(opened));
        return challenge.expiresAt > now.getTime() ? challenge : undefined;
      } catch {
        // Cut, changed, of another purpose, or sealed by a key that is no longer there.
        return undefined;
      }
    },
    isBoundTo: ({ bound }: Challenge, text: string | null) => bound === (text === null ? null : hash(text)),
    /** Uses a challenge up, in the transaction of what it allows. @returns false where another call did so before. */
    spend: (em: EntityManager, { challenge, expiresAt }: Challenge) =>
      spendChallenge(em, hashToken(challenge), new Date(expiresAt)),
  };
}
