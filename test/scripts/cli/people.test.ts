import { describe, expect, test } from 'vitest';
import { createCliFixture } from './fixture.ts';

const cli = createCliFixture();

describe('a common password', () => {
  test('is refused by org create and user set-password, by the name of the option', async () => {
    const { owner } = await cli.createOrganization('zoe@example.com');
    const create = ['org', 'create', '--name', 'Zanzibar', '--plan', 'free', '--owner-email', 'new@example.com'];
    for (const [args, option] of [
      [[...create, '--owner-password', 'Password123'], '--owner-password'],
      [[...create, '--owner-password', 'zanzibar1'], '--owner-password'],
      [['user', 'set-password', '--email', owner.email, '--password', 'qwertyuiop'], '--password'],
      [['user', 'set-password', '--email', owner.email, '--password', owner.email], '--password'],
    ] as const) {
      const { code, err } = await cli.run([...args]);
      expect([code, err.split('\n')[0]]).toEqual([
        2,
        `${option}: is one of those that are guessed first; choose one that is not`,
      ]);
    }
    expect((await cli.db.query(`select from users where email = 'new@example.com'`)).rowCount).toBe(0);
  });
});
