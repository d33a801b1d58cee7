import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createEntityManager } from '#db/connection/orm.ts';
import { importRows } from '#commands/imports/imports.ts';
import { Import } from '#db/entities/imports.ts';
import { insertImportRows } from '#db/imports/imports.ts';
import { testSite } from '#test/support/api.ts';
import { findNoLocalAnswers } from '#test/support/local-answers.ts';
import { createCliFixture } from '#test/scripts/cli/fixture.ts';

const cli = createCliFixture();

test('import stop ends an import at its current row, and no worker continues it', { tags: 'slow' }, async () => {
  const { organization, owner } = await cli.createOrganization();
  const em = createEntityManager(cli.db);
  const id = await em.transactional(async (em) => {
    const draft = { createdBy: owner.id, format: 'csv', total: 3, bytes: 60, dueAt: new Date() } as const;
    const made = em.create(Import, { id: uuidv7(), organization: organization.id, ...draft, header: ['destination'] });
    await em.flush();
    await insertImportRows(em, made.id, 1, [['no address'], ['neither'], ['nor this']]);
    return made.id;
  });
  const step = () =>
    em.transactional((em) =>
      importRows(em, id, 1, { site: testSite, now: new Date(), findLocalAnswers: findNoLocalAnswers }),
    );
  expect(await step()).toMatchObject({ state: 'running', failed: 1 });
  const unfinished = await cli.json(['import', 'list', '--org', organization.id, '--unfinished']);
  expect(unfinished.imports).toMatchObject([{ id, state: 'running', total: 3, failed: 1 }]);
  expect((await cli.run(['imports', 'list'])).out).toContain(`${id}  ${organization.id}  running  1 of 3`);

  expect((await cli.run(['import', 'stop', '--id', id])).out).toBe('The import ended after 1 of 3 rows.\n');
  expect(await step()).toMatchObject({ state: 'failed', failed: 1 });
  expect((await cli.json(['import', 'list', '--unfinished'])).imports).toEqual([]);
  const { rows } = await cli.db.query(
    'select state, due_at, finished_at is not null as "isFinished" from imports where id = $1',
    [id],
  );
  expect(rows).toEqual([{ state: 'failed', due_at: null, isFinished: true }]);
  expect(await cli.run(['import', 'stop', '--id', id])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--id: The import is over: failed.'),
  });
  expect(await cli.run(['import', 'stop', '--id', crypto.randomUUID()])).toMatchObject({
    code: 1,
    err: 'This import does not exist.\n',
  });
  const audit = await cli.db.query<object>(
    `select organization_id as organization from audit_log
     where action = 'import stop' and subject_id = $1 and details->>'outcome' = 'done'`,
    [id],
  );
  expect(audit.rows).toEqual([{ organization: organization.id }]);
});
