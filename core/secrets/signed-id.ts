import { createHmac, timingSafeEqual } from 'node:crypto';

/** The purposes of the keys that sign tokens: `Sealing.deriveKeys`. */
export const resetTokenPurpose = 'password reset';
/** Of a link that the inviter passes on: it shows nothing about the mailbox of the person. */
export const invitationTokenPurpose = 'invitation';
export const mailedInvitationTokenPurpose = 'invitation by mail';
export const deletionTokenPurpose = 'progress of a deletion';

const idBytes = 16;
const signatureBytes = 32;
const written = /^[A-Za-z0-9_-]{64}$/;

/** The token of a row, for a link in a mail or a page without a session, 64 characters: the id of its row, signed. The same for the same id and key. */
export function writeSignedId(id: string, key: Buffer): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  return Buffer.concat([bytes, sign(bytes, key)]).toString('base64url');
}

/**
 * Reads the id in a token that `writeSignedId` made.
 * @param keys the token may be signed by any of them. @returns undefined where it is not.
 */
export function readSignedId(token: string, keys: readonly Buffer[]): string | undefined {
  if (!written.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const [id, signature] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes, idBytes + signatureBytes)];
  if (!keys.some((key) => timingSafeEqual(sign(id, key), signature))) return undefined;
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function sign(id: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(id).digest();
}
