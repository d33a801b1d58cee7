import { createHash, randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** By what a person shows that it is them, besides the password. */
export const secondFactorMethods = ['totp', 'passkey', 'recoveryCode'] as const;

export type SecondFactorMethod = (typeof secondFactorMethods)[number];

export const totpSecretPurpose = 'TOTP secret';

// RFC 6238 §4, which every authenticator app follows; many know no others.
const periodSeconds = 30;
const digits = 6;
const algorithm = 'SHA1';
// RFC 4226 §4 recommends 160 bits.
const secretBytes = 20;
// RFC 6238 §5.2: one step each way, for clocks that differ.
const stepsAround = 1;

/** Makes the secret of an authenticator app, in base 32. */
export function createTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The address that a QR code shows to an authenticator app. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  return totpOf(secret, { issuer, label: account }).toString();
}

/**
 * Finds the step of 30 s, since 1970, whose code a text is. @param code six digits. @returns undefined where it is none of the
 * steps around `now`.
 */
export function findTotpStep(secret: string, code: string, now: Date): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now.getTime(), window: stepsAround });
  return delta === null ? undefined : Math.floor(now.getTime() / 1_000 / periodSeconds) + delta;
}

/** The code of a moment, as an authenticator app shows it. */
export function totpCodeAt(secret: string, now: Date): string {
  return totpOf(secret).generate({ timestamp: now.getTime() });
}

function totpOf(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...names, secret: Secret.fromBase32(secret), algorithm, digits, period: periodSeconds });
}

// Without letters and digits that look alike: RFC 4648 base 32 has I, L and O, Crockford's has not.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
// 80 bits: a hash of it cannot be reversed by trying, so that no key has to be kept for it.
const codeLength = 16;
const groupLength = 4;
const codesOfPerson = 10;

/** Makes recovery codes: ten of sixteen characters, written `XXXX-XXXX-XXXX-XXXX`. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: codesOfPerson }, () =>
    Array.from({ length: codeLength }, (_none, index) => {
      const letter = alphabet[randomInt(alphabet.length)]!;
      return index > 0 && index % groupLength === 0 ? `-${letter}` : letter;
    }).join(''),
  );
}

/** Hashes a recovery code of a person, however it is written: in small letters, without dashes, O for 0. */
export function hashRecoveryCode(userId: string, code: string): Buffer {
  const plain = code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return createHash('sha256').update(`${userId} ${plain}`).digest();
}
