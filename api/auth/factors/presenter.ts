import type { z } from 'zod';
import { passkeyAlgorithms, type PasskeyReference } from '#core/accounts/passkeys.ts';
import type { Passkey } from '#db/entities/accounts/second-factors.ts';
import type { SecondFactors } from '#db/accounts/second-factors.ts';
import { challengeLivesSeconds } from './challenges.ts';
import { present } from '#api/present.ts';
import {
  type passkeyCreationSchema,
  type passkeyRequestSchema,
  passkeySchema,
  type secondFactorsSchema,
} from './schema.ts';

export const presentPasskey = (passkey: Passkey) => present(passkeySchema, passkey, {});

export function presentFactors(
  { totp, passkeys, recoveryCodesLeft }: SecondFactors,
  installation: { isRequired: boolean; canAddPasskeys: boolean },
): z.output<typeof secondFactorsSchema> {
  return {
    totp: totp && {
      createdAt: totp.createdAt.toISOString(),
      lastUsedAt: totp.lastUsedAt?.toISOString() ?? null,
    },
    passkeys: passkeys.map(presentPasskey),
    recoveryCodesLeft,
    ...installation,
  };
}

const timeout = challengeLivesSeconds * 1_000;
const describe = ({ credentialId, transports }: PasskeyReference) => ({
  type: 'public-key' as const,
  id: credentialId,
  transports: [...transports],
});

/** How browsers know the passkeys of a person. */
export function referencesOf(passkeys: readonly Passkey[]): PasskeyReference[] {
  return passkeys.map(({ credentialId, transports }) => ({
    credentialId: Buffer.from(credentialId).toString('base64url'),
    transports,
  }));
}

/** @param passkeys the ones that count; empty: the passkey signs in alone, and its authenticator must check the person. */
export function presentRequest(
  { challenge, host }: { challenge: string; host: string },
  passkeys: readonly PasskeyReference[],
): z.output<typeof passkeyRequestSchema>['options'] {
  const userVerification = passkeys.length === 0 ? 'required' : 'preferred';
  return { challenge, rpId: host, timeout, userVerification, allowCredentials: passkeys.map(describe) };
}

export function presentCreation(
  { challenge, host }: { challenge: string; host: string },
  user: { id: string; email: string; name: string },
  passkeys: readonly PasskeyReference[],
): z.output<typeof passkeyCreationSchema>['options'] {
  return {
    challenge,
    rp: { id: host, name: 'Waymark' },
    user: {
      id: Buffer.from(user.id.replaceAll('-', ''), 'hex').toString('base64url'),
      name: user.email,
      displayName: user.name,
    },
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout,
    excludeCredentials: passkeys.map(describe),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    attestation: 'none',
  };
}
