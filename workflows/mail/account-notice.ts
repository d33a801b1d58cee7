import { proxyActivities } from '@temporalio/workflow';
import type { AccountNoticeActivities } from '#activities/accounts/notices.ts';
import { mailOnce } from './mail-once.ts';
import { mailPolicy } from '#workflows/policies.ts';

/** Which notice, by its row. */
export interface AccountNoticeInput {
  noticeId: string;
}

/** Mails a person what happened to their account: a sign-in by a new browser, another password. */
export function accountNotice({ noticeId }: AccountNoticeInput): Promise<{ isMailed: boolean }> {
  const { mailAccountNotice } = proxyActivities<AccountNoticeActivities>({
    ...mailPolicy,
    summary: 'Mail the notice',
  });
  return mailOnce(() => mailAccountNotice({ noticeId }), {
    begins: 'Mails the notice, or waits for the mail server.',
    notNeeded: 'Not mailed: the account is gone, or the notice was mailed by an earlier attempt.',
    unsent: 'Not mailed: the mail server took no mail for a day.',
  });
}
