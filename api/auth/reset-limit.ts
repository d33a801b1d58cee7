import { createHmac } from 'node:crypto';
import { normalizeEmail } from '#commands/accounts/people.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { isKnownDevice } from '#db/accounts/devices.ts';
import { claimSignInAttempt } from '#db/accounts/sign-in-attempts.ts';

// Choices, for a quarter of an hour: a person who finds no mail asks again, and no mailbox is flooded.
const accountLimits = { ofClient: 5, ofAccount: 10 };
// Of a browser that is known to the account: requests elsewhere do not count there.
const deviceLimits = { ofClient: 5, ofAccount: 5 };
// A company behind one address.
const clientLimits = { ofClient: 30, ofAccount: 30 };

/**
 * Limits requests of new passwords over all processes, for each e-mail, known or not, and each client. Apart from failed sign-ins:
 * asking for a mail takes no attempt to sign in away.
 */
export function createResetLimit(sealing: Sealing) {
  const key = sealing.deriveKeys('password reset account')[0]!;
  const hash = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return async (
    em: EntityManager,
    { email: given, client, deviceToken }: { email: string; client: string; deviceToken: string | undefined },
  ) => {
    const email = normalizeEmail(given);
    // A keyed hash, so that the database does not hold the e-mail.
    const account = hash(`account ${email}`);
    const isKnown =
      deviceToken !== undefined && (await isKnownDevice(em, { email, tokenHash: hashToken(deviceToken) }));
    const claim = isKnown
      ? await claimSignInAttempt(em, { account: hash(`device ${email}\0${deviceToken}`), client }, deviceLimits)
      : await claimSignInAttempt(em, { account, client }, accountLimits);
    if (!claim.isAdmitted) return { account, email, ...claim };
    // After the account's lock, always: the two cannot deadlock.
    const ofAll = await claimSignInAttempt(em, { account: hash(`client ${client}`), client }, clientLimits);
    return { account, email, ...ofAll };
  };
}
