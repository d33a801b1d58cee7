import { uuidv7 } from '#core/lib/uuid.ts';
import type { Mailer } from '#core/lib/mail.ts';
import { findNotice } from '#db/accounts/notices.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { AccountNotice, type NoticeDetails, type noticeKinds } from '#db/entities/accounts/people.ts';
import { enqueue } from '#db/outbox.ts';

type Kind = (typeof noticeKinds)[number];

/** Tells a person by mail, which a workflow sends, what happened to their account; in the transaction of the change. */
export async function notifyPerson(
  em: EntityManager,
  { userId, kind, details = {} }: { userId: string; kind: Kind; details?: NoticeDetails },
  now: Date,
): Promise<void> {
  const id = uuidv7();
  em.create(AccountNotice, { id, user: userId, kind, details, createdAt: now });
  await em.flush();
  await enqueue(em, 'account-notice', [id]);
}

/**
 * Mails a notice. A crash between the mail and the note of it sends the mail again, with the same Message-ID.
 * @param options `baseUrl`: public address of the API, which serves the console.
 * @returns whether it was mailed: one that is a day old, or was mailed before, is not.
 * @throws Error where the mail server refuses the mail.
 */
export async function mailNotice(
  em: EntityManager,
  mailer: Mailer,
  id: string,
  { baseUrl }: { baseUrl: string },
): Promise<boolean> {
  const notice = await findNotice(em, id, new Date());
  if (notice === null) return false;
  const { kind, details, createdAt, user } = notice;
  const { subject, lines, ifNot } = texts[kind](details);
  const address = baseUrl.replace(/\/$/, '');
  await mailer.send({
    to: user.email!,
    subject,
    text: [
      ...lines,
      address,
      '',
      `When: ${createdAt.toISOString()}`,
      '',
      'If it was you, there is nothing to do.',
      ...ifNot(address),
      '',
    ].join('\n'),
    messageId: `account-notice-${id}@waymark`,
  });
  await em.nativeUpdate(AccountNotice, { id }, { mailedAt: new Date() });
  return true;
}

interface Text {
  subject: string;
  lines: readonly string[];
  /** What to do if it was not the person. Short lines: mail programs show plain text as it is. */
  ifNot(address: string): readonly string[];
}

const changePassword = (address: string): readonly string[] => [
  'If not, choose another password here; all other browsers',
  'are signed out by it:',
  `${address}/console/settings/you`,
];
const resetPassword = (address: string): readonly string[] => [
  'If not, choose a new password here, and tell an owner of',
  'your organization:',
  `${address}/console/forgot`,
];
const factorNames: Readonly<Record<string, string>> = {
  totp: 'an app that makes codes',
  passkey: 'a passkey',
  recoveryCodes: 'new recovery codes',
};
const factorOf = ({ factor = '' }: NoticeDetails): string => factorNames[factor] ?? 'a second factor';

const texts: Record<Kind, (details: NoticeDetails) => Text> = {
  newDevice: ({ browser, os }) => ({
    subject: 'New sign-in to your account',
    lines: [`A browser that is new to us${describeDevice(browser, os)}`, 'has signed in to your account at'],
    ifNot: changePassword,
  }),
  passwordChanged: () => ({
    subject: 'Your password was changed',
    lines: ['The password was changed of your account at'],
    ifNot: resetPassword,
  }),
  secondFactorAdded: (details) => ({
    subject:
      details.factor === 'recoveryCodes'
        ? 'New recovery codes were made for your account'
        : 'A second factor was added to your account',
    lines: [`Signing in can be confirmed by ${factorOf(details)} now, at`],
    ifNot: changePassword,
  }),
  secondFactorRemoved: (details) => ({
    subject: 'A second factor was removed from your account',
    lines: [`Signing in is no longer confirmed by ${factorOf(details)}, at`],
    ifNot: changePassword,
  }),
  recoveryCodeUsed: () => ({
    subject: 'A recovery code was used for your account',
    lines: ['A recovery code has confirmed a sign-in to your account at'],
    ifNot: changePassword,
  }),
};

function describeDevice(browser: string | null | undefined, os: string | null | undefined): string {
  const names = [browser, os].filter((name) => name !== null && name !== undefined);
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}
