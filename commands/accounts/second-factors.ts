import { uuidv7 } from '#core/lib/uuid.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { NewPasskey, PasskeyAssertion, Passkeys } from '#core/accounts/passkeys.ts';
import {
  createRecoveryCodes,
  createTotpSecret,
  findTotpStep,
  hashRecoveryCode,
  type SecondFactorMethod,
  totpSecretPurpose,
} from '#core/accounts/second-factors.ts';
import { rowContext, type Sealing } from '#core/secrets/sealing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Session, User } from '#db/entities/accounts/people.ts';
import { Passkey, RecoveryCode, TotpFactor } from '#db/entities/accounts/second-factors.ts';
import {
  confirmSession,
  forgetWithoutFactor,
  readSecondFactors,
  removeFactorsOf,
} from '#db/accounts/second-factors.ts';
import { notifyPerson } from '#commands/accounts/notices.ts';
import { flushRefusing } from '#commands/flush.ts';
import { recordAction } from '#commands/organizations/audit.ts';

// A person has a handful of devices.
const mostPasskeys = 20;

/** A person who is signed in, at their own second factors. */
export interface FactorHolder {
  userId: string;
  sessionId: string;
  /** In which the session works: the audit log of it has the lines. */
  organizationId: string;
}

/** What a person shows to prove that it is them. */
export type Proof =
  | { method: 'totp'; code: string }
  | { method: 'recoveryCode'; code: string }
  | { method: 'passkey'; assertion: PasskeyAssertion };

interface ProofOptions {
  /** What a passkey must have signed; base64url. */
  challenge: string | undefined;
  /** Whether the authenticator must have checked the person: a passkey signs in alone. */
  needsVerification?: boolean;
  now: Date;
  sealing: Sealing;
  passkeys: Passkeys;
}

/** Checks a proof and uses it up: no code works twice, of two calls at once one wins. @returns whether it is right. */
export async function acceptProof(
  em: EntityManager,
  userId: string,
  proof: Proof,
  options: ProofOptions,
): Promise<boolean> {
  const { now, sealing } = options;
  switch (proof.method) {
    case 'totp': {
      const factor = await em.findOne(TotpFactor, { user: userId, confirmedAt: { $ne: null } }, { refresh: true });
      if (factor === null) return false;
      const step = findTotpStep(openSecret(factor, userId, sealing), proof.code, now);
      if (step === undefined) return false;
      const earlier = { user: userId, lastStep: { $lt: step } };
      return (await em.nativeUpdate(TotpFactor, earlier, { lastStep: step, lastUsedAt: now })) === 1;
    }
    case 'recoveryCode':
      return (
        (await em.nativeDelete(RecoveryCode, { user: userId, codeHash: hashRecoveryCode(userId, proof.code) })) === 1
      );
    case 'passkey':
      return acceptPasskey(em, userId, proof.assertion, options);
  }
}

async function acceptPasskey(
  em: EntityManager,
  userId: string,
  assertion: PasskeyAssertion,
  { challenge, needsVerification = false, now, passkeys }: ProofOptions,
): Promise<boolean> {
  const credentialId = Buffer.from(assertion.id, 'base64url');
  const passkey = await em.findOne(Passkey, { user: userId, credentialId }, { refresh: true });
  if (passkey === null || challenge === undefined) return false;
  const { id, publicKey, signCount } = passkey;
  const counted = await passkeys.verifyAssertion(challenge, assertion, { publicKey, signCount }, { needsVerification });
  if (counted === undefined) return false;
  // Of two calls at once with the same count, one is by a copy, or a replay.
  return (await em.nativeUpdate(Passkey, { id, signCount }, { signCount: counted, lastUsedAt: now })) === 1;
}

/** Finds the person of a passkey that signs in alone; undefined: it is not known here. */
export async function findPasskeyOwner(em: EntityManager, { id }: PasskeyAssertion): Promise<string | undefined> {
  const credentialId = Buffer.from(id, 'base64url');
  const passkey = await em.findOne(Passkey, { credentialId, user: { deletedAt: null } });
  return passkey?.user.id;
}

/**
 * Makes the secret of an authenticator app, in place of one that was not confirmed. @returns the secret, in base 32.
 * @throws AppError ALREADY_EXIST where the person has an app.
 */
export async function beginTotp(
  em: EntityManager,
  userId: string,
  { now, sealing }: { now: Date; sealing: Sealing },
): Promise<string> {
  // Of calls at once, each waits for the one before.
  await em.getRepository(User).hold(userId);
  await em.nativeDelete(TotpFactor, { user: userId, confirmedAt: null });
  if ((await em.count(TotpFactor, { user: userId })) > 0) {
    throw new AppError('ALREADY_EXIST', 'You have an authenticator app already: remove it first.', { reason: 'totp' });
  }
  const secret = createTotpSecret();
  const secretSealed = sealing.seal(totpSecretPurpose, secret, rowContext(userId));
  em.create(TotpFactor, { user: userId, secretSealed, lastStep: 0, createdAt: now });
  await em.flush();
  return secret;
}

/**
 * Adds the app whose secret `beginTotp` made, by its first code. @returns new recovery codes, where it is the first second factor.
 * @throws AppError VALIDATION_ERROR for a wrong code, CONFLICT where no secret waits for a code.
 */
export async function confirmTotp(
  em: EntityManager,
  holder: FactorHolder,
  code: string,
  { now, sealing }: { now: Date; sealing: Sealing },
): Promise<string[] | null> {
  const { userId } = holder;
  await em.getRepository(User).hold(userId);
  const waiting = await em.findOne(TotpFactor, { user: userId, confirmedAt: null }, { refresh: true });
  if (waiting === null) throw new AppError('CONFLICT', 'No authenticator app waits for its first code: begin again.');
  const step = findTotpStep(openSecret(waiting, userId, sealing), code, now);
  if (step === undefined)
    throw invalid('code', 'is wrong, or too old: look at the clock of the device, and try the next');
  Object.assign(waiting, { confirmedAt: now, lastUsedAt: now, lastStep: step });
  await em.flush();
  return added(em, holder, { method: 'totp' }, now);
}

/** Removes the authenticator app. @throws AppError NOT_FOUND where there is none. */
export async function removeTotp(em: EntityManager, holder: FactorHolder, now: Date): Promise<void> {
  const { userId } = holder;
  await em.getRepository(User).hold(userId);
  if ((await em.nativeDelete(TotpFactor, { user: userId, confirmedAt: { $ne: null } })) === 0) {
    throw new AppError('NOT_FOUND', 'You have no authenticator app.');
  }
  await removed(em, holder, { method: 'totp' }, now);
}

/**
 * Adds a passkey. @returns it, and new recovery codes, where it is the first second factor.
 * @throws AppError ALREADY_EXIST for a passkey that is an account's already, CONFLICT for too many.
 */
export async function addPasskey(
  em: EntityManager,
  holder: FactorHolder,
  { credentialId, ...verified }: NewPasskey,
  { name, transports, now }: { name: string; transports: readonly string[]; now: Date },
): Promise<{ passkey: Passkey; recoveryCodes: string[] | null }> {
  const { userId } = holder;
  await em.getRepository(User).hold(userId);
  if ((await em.count(Passkey, { user: userId })) >= mostPasskeys) {
    throw new AppError('CONFLICT', `You have ${mostPasskeys} passkeys, the most that there can be: remove one first.`);
  }
  const passkey = em.create(Passkey, {
    id: uuidv7(),
    user: userId,
    credentialId: Buffer.from(credentialId, 'base64url'),
    ...verified,
    transports: [...transports],
    name,
    createdAt: now,
  });
  await flushRefusing(em, {
    passkeys_credential_id_key: () =>
      new AppError('ALREADY_EXIST', 'This passkey was added before.', { reason: 'passkey' }),
  });
  return { passkey, recoveryCodes: await added(em, holder, { method: 'passkey', name }, now) };
}

/** Gives a passkey of a person another name. @throws AppError NOT_FOUND. */
export async function renamePasskey(em: EntityManager, userId: string, id: string, name: string): Promise<Passkey> {
  const passkey = await em.findOne(Passkey, { id, user: userId });
  if (passkey === null) throw unknownPasskey();
  passkey.name = name;
  await em.flush();
  return passkey;
}

/** Removes a passkey of a person. @throws AppError NOT_FOUND. */
export async function removePasskey(em: EntityManager, holder: FactorHolder, id: string, now: Date): Promise<void> {
  const { userId } = holder;
  await em.getRepository(User).hold(userId);
  const passkey = await em.findOne(Passkey, { id, user: userId });
  if (passkey === null || (await em.nativeDelete(Passkey, { id })) === 0) throw unknownPasskey();
  await removed(em, holder, { method: 'passkey', name: passkey.name }, now);
}

/**
 * Makes ten recovery codes; those before stop working. @returns them: only their hashes are stored.
 * @throws AppError CONFLICT for a person without a second factor.
 */
export async function renewRecoveryCodes(em: EntityManager, holder: FactorHolder, now: Date): Promise<string[]> {
  const { userId } = holder;
  await em.getRepository(User).hold(userId);
  const { totp, passkeys } = await readSecondFactors(em, userId);
  if (totp === null && passkeys.length === 0) {
    throw new AppError('CONFLICT', 'Recovery codes stand in for a second factor: add one first.');
  }
  const codes = await makeRecoveryCodes(em, userId, now);
  await record(em, holder, 'auth.recoveryCodesRenewed', {}, now);
  await notify(em, holder, 'secondFactorAdded', 'recoveryCodes', now);
  return codes;
}

/**
 * Removes every second factor of a person who has lost them, and ends their sessions, where there was one. @returns how many of both
 * there were.
 */
export async function resetSecondFactors(
  em: EntityManager,
  userId: string,
): Promise<{ removed: number; endedSessions: number }> {
  await em.getRepository(User).hold(userId);
  const removed = await removeFactorsOf(em, userId);
  return { removed, endedSessions: removed === 0 ? 0 : await em.getRepository(Session).endAllOf(userId) };
}

/** What follows a new factor. @returns recovery codes for the first one. */
async function added(
  em: EntityManager,
  holder: FactorHolder,
  details: { method: SecondFactorMethod; name?: string },
  now: Date,
): Promise<string[] | null> {
  // The person has just used it. A session that ended meanwhile adds none: the account may have been handed over.
  if (!(await confirmSession(em, holder.sessionId, details.method, now))) {
    throw new AppError('UNAUTHORIZED', 'You are not signed in any more.');
  }
  // The others were opened without it.
  await em.getRepository(Session).endAllOf(holder.userId, { keepId: holder.sessionId });
  await record(em, holder, 'auth.secondFactorAdded', details, now);
  await notify(em, holder, 'secondFactorAdded', details.method, now);
  const { totp, passkeys } = await readSecondFactors(em, holder.userId);
  const isFirst = passkeys.length + (totp === null ? 0 : 1) === 1;
  return isFirst ? makeRecoveryCodes(em, holder.userId, now) : null;
}

async function removed(
  em: EntityManager,
  holder: FactorHolder,
  details: { method: SecondFactorMethod; name?: string },
  now: Date,
): Promise<void> {
  await forgetWithoutFactor(em, holder.userId);
  await record(em, holder, 'auth.secondFactorRemoved', details, now);
  await notify(em, holder, 'secondFactorRemoved', details.method, now);
}

async function makeRecoveryCodes(em: EntityManager, userId: string, now: Date): Promise<string[]> {
  await em.nativeDelete(RecoveryCode, { user: userId });
  const codes = createRecoveryCodes();
  for (const code of codes) {
    em.create(RecoveryCode, { user: userId, codeHash: hashRecoveryCode(userId, code), createdAt: now });
  }
  await em.flush();
  return codes;
}

async function notify(
  em: EntityManager,
  { userId }: FactorHolder,
  kind: 'secondFactorAdded' | 'secondFactorRemoved',
  factor: string,
  now: Date,
): Promise<void> {
  await notifyPerson(em, { userId, kind, details: { factor } }, now);
}

async function record(
  em: EntityManager,
  { userId, organizationId }: FactorHolder,
  action: string,
  details: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await recordAction(em, { userId, organizationId, action, subjectId: userId, details }, now);
}

function openSecret({ secretSealed }: TotpFactor, userId: string, sealing: Sealing): string {
  return sealing.open(totpSecretPurpose, secretSealed, rowContext(userId)).toString();
}

function unknownPasskey(): AppError {
  return new AppError('NOT_FOUND', 'You have no passkey with this id.');
}
