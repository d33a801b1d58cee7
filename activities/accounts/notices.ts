import { mailNotice } from '#commands/accounts/notices.ts';
import type { Mailer } from '#core/lib/mail.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

/** Activities of `accountNotice`. Histories have the id of the notice alone. */
export interface AccountNoticeActivities {
  /** Mails a notice. Fails, to be retried, while the mail server refuses it. */
  mailAccountNotice(input: { noticeId: string }): Promise<{ isMailed: boolean }>;
}

export function createAccountNoticeActivities({
  em,
  mailer,
  baseUrl,
}: {
  em: EntityManager;
  mailer: Mailer;
  baseUrl: string;
}): AccountNoticeActivities {
  return {
    mailAccountNotice: async ({ noticeId }) => ({
      isMailed: await mailNotice(em.fork(), mailer, noticeId, { baseUrl }),
    }),
  };
}
