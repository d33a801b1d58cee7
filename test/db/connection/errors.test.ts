// @module-tag slow
import { describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '#db/connection/database.ts';
import {
  databaseErrorKind,
  isCheckViolation,
  isConflict,
  isConnectionError,
  isDataRefused,
  isForeignKeyViolation,
  isReadOnly,
  isStatementTimeout,
  isStatementTooCostly,
  isUnavailable,
  isUndefinedRelation,
  isUniqueViolation,
} from '#db/connection/errors.ts';
import { createTestDatabase } from '#test/support/stack.ts';

const questions = {
  isConflict,
  isConnectionError,
  isDataRefused,
  isForeignKeyViolation,
  isReadOnly,
  isStatementTimeout,
  isStatementTooCostly,
  isUnavailable,
  isUndefinedRelation,
  isUniqueViolation,
};

/** Names of the questions that are answered with yes. */
function meaningsOf(error: unknown): string[] {
  return Object.entries(questions)
    .filter(([, isSo]) => isSo(error))
    .map(([name]) => name);
}

async function errorOf(db: Database, statement: string): Promise<unknown> {
  return db.query(statement).then(
    () => expect.fail('the statement succeeded'),
    (error: unknown) => error,
  );
}

const raise = (state: string): string => `do $$ begin raise exception 'no' using errcode = '${state}'; end $$`;

describe('errors of the server', () => {
  it.each<[string, string, string[], string | undefined]>([
    ['a value of the wrong form', `select 'x'::uuid`, ['isDataRefused'], undefined],
    ['a unique index', raise('23505'), ['isDataRefused', 'isUniqueViolation'], undefined],
    ['a foreign key', raise('23503'), ['isDataRefused', 'isForeignKeyViolation'], undefined],
    ['a table that is missing', 'select from nowhere', ['isUndefinedRelation'], 'other'],
    ['a column that is missing', 'select nothing from outbox', ['isUndefinedRelation'], 'other'],
    ['a deadlock', raise('40P01'), ['isConflict', 'isUnavailable'], 'conflict'],
    ['a serialization failure', raise('40001'), ['isConflict', 'isUnavailable'], 'conflict'],
    [
      'a statement timeout',
      `set statement_timeout = 1; select pg_sleep(1)`,
      ['isConnectionError', 'isStatementTimeout', 'isStatementTooCostly'],
      'timeout',
    ],
    ['memory', raise('53200'), ['isConnectionError', 'isStatementTooCostly'], 'resources'],
    ['connections', raise('53300'), ['isConnectionError', 'isUnavailable'], 'resources'],
    ['a full disk', raise('53100'), ['isConnectionError', 'isUnavailable'], 'diskFull'],
    ['a shutdown', raise('57P01'), ['isConnectionError', 'isUnavailable'], 'connection'],
    ['a standby', `begin read only; create table t ()`, ['isReadOnly', 'isUnavailable'], 'readOnly'],
    ['a lock timeout', raise('55P03'), [], 'timeout'],
    ['an idle transaction', raise('25P03'), ['isUnavailable'], 'timeout'],
    ['a broken disk', raise('58030'), [], 'io'],
    ['an error of a function of ours', raise('P0001'), [], undefined],
  ])('%s', async (_name, statement, meanings, kind) => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    const error = await errorOf(db, statement);
    await db.close();
    expect(meaningsOf(error)).toEqual(meanings);
    expect(databaseErrorKind(error)).toBe(kind);
  });

  it('a unique violation and a check violation name what refused the row', async () => {
    await using database = await createTestDatabase();
    const db = createDatabase({ url: database.url });
    await db.query('create table checked (id int constraint checked_key unique, size int check (size > 0))');
    await db.query('insert into checked values (1, 1)');
    const unique = await errorOf(db, 'insert into checked values (1, 1)');
    const check = await errorOf(db, 'insert into checked values (2, 0)');
    await db.close();
    expect([isUniqueViolation(unique, 'checked_key'), isUniqueViolation(unique, 'another_key')]).toEqual([true, false]);
    expect([isCheckViolation(check, 'checked'), isCheckViolation(check, 'another')]).toEqual([true, false]);
    expect(isCheckViolation(unique, 'checked')).toBe(false);
  });
});

describe('errors that are not of the server', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN', 'ETIMEDOUT'])('%s: the database is unavailable', (code) => {
    const error = Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' });
    expect(meaningsOf(error)).toEqual(['isConnectionError', 'isUnavailable']);
    expect(databaseErrorKind(error)).toBe('connection');
  });

  it.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect', 'Query read timeout'])(
    '%s: the database is unavailable',
    (message) => {
      const error = new Error(message);
      expect(meaningsOf(error)).toEqual(['isConnectionError', 'isUnavailable']);
      expect(databaseErrorKind(error)).toBe('connection');
    },
  );

  it('errors of our own code have no kind', () => {
    expect(databaseErrorKind(new TypeError('x is undefined'))).toBeUndefined();
    expect(isUnavailable(new TypeError('x is undefined'))).toBe(false);
  });
});
