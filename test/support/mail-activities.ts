import { beforeEach } from 'vitest';
import { createMailActivities, type MailActivities } from '#activities/mails.ts';
import { createSealing } from '#adapters/sealing.ts';
import type { Database } from '#db/connection/database.ts';
import { testSecretKey } from './api.ts';
import { emOf } from './entity-managers.ts';
import { createTestMailer } from './mailer.ts';

/** Activities that mail, with a mailer whose mails and failures are empty at the start of each test. */
export function useMailActivities(baseUrl = 'https://api.example.com') {
  const mailer = createTestMailer();
  const { mails, failures } = mailer;
  beforeEach(() => {
    mails.length = 0;
    failures.length = 0;
  });
  const activitiesOf = (db: Database): MailActivities =>
    createMailActivities({ em: emOf(db), mailer, sealing: createSealing([testSecretKey]), baseUrl });
  return { mails, failures, activitiesOf };
}
