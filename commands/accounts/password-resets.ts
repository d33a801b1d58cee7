import { type AppError, invalid } from '#core/errors/errors.ts';
import type { Mailer } from '#core/lib/mail.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { resetLivesMs } from '#db/accounts/password-resets.ts';
import { readSignedId, resetTokenPurpose, writeSignedId } from '#core/secrets/signed-id.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { PasswordReset, User } from '#db/entities/accounts/people.ts';
import { enqueue } from '#db/outbox.ts';
import { setPassword } from './people.ts';
import { handOver } from './verification.ts';

/**
 * Requests a link for a new password, which a workflow mails; links that the account asked for before stop working. The statements
 * are the same whether or not an account has the e-mail, so that the time of a call tells nothing.
 * @param request `account`: a keyed hash of the e-mail; `email`: normalised. @returns the account's user; null: there is none.
 */
export async function requestPasswordReset(
  em: EntityManager,
  { account, email }: { account: Buffer; email: string },
  now: Date,
): Promise<string | null> {
  const userId = (await em.getRepository(User).findPerson(email))?.id ?? null;
  await em.nativeDelete(PasswordReset, { account });
  const id = uuidv7();
  const expiresAt = new Date(now.getTime() + resetLivesMs);
  em.create(PasswordReset, { id, account, user: userId, createdAt: now, expiresAt });
  await em.flush();
  await enqueue(em, 'password-reset', [id]);
  return userId;
}

export interface ResetLinks {
  sealing: Pick<Sealing, 'deriveKeys'>;
  /** Public address of the API, which serves the console. */
  baseUrl: string;
}

/**
 * Mails the link of a request. A crash between the mail and the note of it sends the mail again, with the same link and
 * Message-ID.
 * @returns whether it was mailed: a request that has ended or was mailed before is not.
 * @throws Error where the mail server refuses the mail.
 */
export async function mailPasswordReset(
  em: EntityManager,
  mailer: Mailer,
  id: string,
  { sealing, baseUrl }: ResetLinks,
): Promise<boolean> {
  const reset = await em.getRepository(PasswordReset).findLive(id, new Date());
  if (reset === null || reset.mailedAt !== null) return false;
  // In the fragment, which browsers send to no server: no log of a request has the token.
  const link = `${baseUrl}/console/reset#token=${writeSignedId(id, sealing.deriveKeys(resetTokenPurpose)[0]!)}`;
  await mailer.send({
    to: reset.user!.email!,
    subject: 'Choose a new password',
    text: textOf(link, baseUrl, reset.expiresAt),
    messageId: `password-reset-${id}@waymark`,
  });
  await em.nativeUpdate(PasswordReset, { id }, { mailedAt: new Date() });
  return true;
}

// Short lines, but for the link: mail programs show plain text as it is.
function textOf(link: string, baseUrl: string, expiresAt: Date): string {
  return [
    'Someone asked for a new password for your account at',
    baseUrl,
    '',
    'Choose it here:',
    link,
    '',
    `The link works once, until ${expiresAt.toISOString()}.`,
    'If you ask again, only the newer link works.',
    '',
    'If it was not you who asked, ignore this mail: your',
    'password stays as it is.',
    '',
  ].join('\n');
}

/** Finds the user and the request of a token. @throws AppError VALIDATION_ERROR at `token` where its link does not work. */
export async function findPasswordReset(
  em: EntityManager,
  token: string,
  { sealing, now }: { sealing: Pick<Sealing, 'deriveKeys'>; now: Date },
): Promise<{ id: string; userId: string }> {
  const id = readSignedId(token, sealing.deriveKeys(resetTokenPurpose));
  const reset = id === undefined ? null : await em.getRepository(PasswordReset).findLive(id, now);
  if (reset === null) throw endedLink();
  return { id: reset.id, userId: reset.user!.id };
}

/**
 * Stores the new password of a request, as a hash; all links and sessions of the user end. The mail arrived, so the e-mail is verified.
 * @throws AppError VALIDATION_ERROR at `token` where another call has used or replaced the link meanwhile.
 */
export async function resetPassword(
  em: EntityManager,
  { id, userId }: { id: string; userId: string },
  passwordHash: string,
  now: Date,
): Promise<void> {
  // The delete decides which of two calls at once uses the link.
  if ((await em.nativeDelete(PasswordReset, { id })) === 0) throw endedLink();
  await handOver(em, userId, now);
  await setPassword(em, userId, passwordHash);
}

function endedLink(): AppError {
  return invalid('token', 'is of a link that does not work any more: ask for a new one');
}
