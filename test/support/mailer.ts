import type { Mail, Mailer } from '#core/lib/mail.ts';

/** A mailer that keeps the mails, and fails on wish. */
export interface TestMailer extends Mailer {
  /** What was to be sent, failed attempts too. */
  readonly mails: Mail[];
  /** Thrown at the next mails, one each. */
  readonly failures: Error[];
}

/** Makes a mailer for the workflows of a test. */
export function createTestMailer(): TestMailer {
  const mails: Mail[] = [];
  const failures: Error[] = [];
  return {
    mails,
    failures,
    async send(mail) {
      mails.push(mail);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
    close: () => undefined,
  };
}
