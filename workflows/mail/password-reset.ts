import { proxyActivities } from '@temporalio/workflow';
import type { PasswordResetActivities } from '#activities/accounts/password-resets.ts';
import { mailOnce } from './mail-once.ts';
import { resetMailPolicy } from '#workflows/policies.ts';

/** A request of a new password. */
export interface PasswordResetInput {
  resetId: string;
}

/** Mails the link by which a person sets a new password, while the link works. */
export function passwordReset({ resetId }: PasswordResetInput): Promise<{ isMailed: boolean }> {
  const { mailPasswordReset } = proxyActivities<PasswordResetActivities>({
    ...resetMailPolicy,
    summary: 'Mail the link',
  });
  return mailOnce(() => mailPasswordReset({ resetId }), {
    begins: 'Mails the link, or waits for the mail server.',
    notNeeded: 'Not mailed: the link ended before, or was mailed by an earlier attempt.',
    unsent: 'Not mailed: the mail server took no mail while the link worked.',
  });
}
