import { mail } from './mail.ts';

/** Workflows of 0.1.0 that `mail` has replaced. They stay for runs in progress, a day long at most; nothing starts them any more. */

/** Mailed a person what happened to their account. */
export const accountNotice = ({ noticeId }: { noticeId: string }) => mail({ mail: 'account-notice', id: noticeId });
/** Mailed a link for a new password. */
export const passwordReset = ({ resetId }: { resetId: string }) => mail({ mail: 'password-reset', id: resetId });
/** Mailed new threats to the owner of an organization. */
export const threatMail = ({ organizationId }: { organizationId: string }) =>
  mail({ mail: 'threats', id: organizationId });
