import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { migrate } from '#db/connection/migrate.ts';
import { createMigrationOrm } from '#db/connection/orm.ts';
import { createEmptyDatabase } from '#test/support/release.ts';

test('the migration verifies the e-mails of all accounts but those that a link made which was passed on', async () => {
  await using database = await createEmptyDatabase();
  const orm = createMigrationOrm(database.url);
  try {
    await orm.migrator.up({ to: '0085-provider-sessions' });
  } finally {
    await orm.close();
  }
  const db = createDatabase({ url: database.url });
  try {
    const organization = crypto.randomUUID();
    const names = ['operator', 'passed-on', 'mailed', 'joined-later', 'reset', 'provider'] as const;
    const ids = new Map(names.map((name) => [name, crypto.randomUUID()]));
    await db.query(`insert into organizations (id, name, plan) values ($1, 'Old', 'free')`, [organization]);
    for (const [name, id] of ids) {
      const madeAt = name === 'joined-later' ? '2026-01-01' : '2026-02-01';
      const sql = `insert into users (id, type, name, email, created_at) values ($1, 'human', 'Ada', $2, $3)`;
      await db.query(sql, [id, `${name}@example.com`, madeAt]);
      if (name === 'operator') continue;
      const subject = crypto.randomUUID();
      await db.query(
        `insert into invitations (id, organization_id, email, role, created_at, expires_at, mail_wanted_at, mailed_at, ended_at, outcome)
         values ($1, $2, $3, 'member', '2026-02-01', '2026-02-08', '2026-02-01', $4, '2026-02-01', 'accepted')`,
        [subject, organization, `${name}@example.com`, name === 'mailed' ? '2026-02-01' : null],
      );
      await recordLine(id, 'invitation.accepted', subject);
    }
    await recordLine(ids.get('reset')!, 'auth.reset', null);
    const identity = `insert into oidc_identities (issuer, subject, user_id, created_at, last_used_at) values ('i', 's', $1, now(), now())`;
    await db.query(identity, [ids.get('provider')]);

    await migrate(database.url);

    const { rows } = await db.query('select email from users where email_verified_at is null');
    expect(rows).toEqual([{ email: 'passed-on@example.com' }]);
  } finally {
    await db.close();
  }

  async function recordLine(userId: string, action: string, subjectId: string | null): Promise<void> {
    await db.query(
      `insert into audit_log (id, at, caller, user_id, action, subject_id, details) values ($1, '2026-02-01', 'member', $2, $3, $4, '{}')`,
      [crypto.randomUUID(), userId, action, subjectId],
    );
  }
});
