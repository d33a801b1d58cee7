import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { User } from './people.ts';

export const TotpFactor = defineEntity({
  name: 'TotpFactor',
  tableName: 'totp_factors',
  properties: {
    user: () => p.manyToOne(User).primary(),
    /** Sealed (12.3). */
    secretSealed: p.blob().hidden(),
    /** The last step of 30 s whose code was accepted: no code is accepted twice. */
    lastStep: p.bigint('number'),
    createdAt: p.datetime(3),
    /** Null until a first code has shown that the app has the secret; it is no second factor before. */
    confirmedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
});
/** The authenticator app of a person. */
export type TotpFactor = InferEntity<typeof TotpFactor>;

export const Passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(User).index('passkeys_user_id_idx'),
    credentialId: p.blob().unique('passkeys_credential_id_key').hidden(),
    publicKey: p.blob().hidden(),
    /** How often the authenticator says that it has signed; many always say 0. */
    signCount: p.bigint('number'),
    /** How browsers reach the authenticator, as they tell it. */
    transports: p.json().$type<string[]>(),
    name: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
  },
});
export type Passkey = InferEntity<typeof Passkey>;

export const RecoveryCode = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_codes',
  properties: {
    user: () => p.manyToOne(User).primary(),
    codeHash: p.blob().primary(),
    createdAt: p.datetime(3),
  },
});
/** A recovery code that was not used yet: the SHA-256 of it and of its person's id. */
export type RecoveryCode = InferEntity<typeof RecoveryCode>;

export const SpentChallenge = defineEntity({
  name: 'SpentChallenge',
  tableName: 'spent_challenges',
  properties: {
    /** SHA-256 of the challenge. */
    idHash: p.blob().primary(),
    expiresAt: p.datetime(3).index('spent_challenges_expires_at_idx'),
  },
});
/** A challenge of a second factor that was answered: it is kept until it would have ended anyway. */
export type SpentChallenge = InferEntity<typeof SpentChallenge>;
