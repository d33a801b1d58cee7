import { expect, test } from 'vitest';
import { resultText } from '#scripts/cli/shell/results.ts';
import { divideStatements } from '#scripts/cli/shell/statements.ts';

test.each([
  ['select 1; select 2;', ['select 1', 'select 2'], ''],
  ['select 1;\nselect', ['select 1'], '\nselect'],
  [`select ';', "a;b", 'it''s;' ; x`, [`select ';', "a;b", 'it''s;'`], ' x'],
  [`select E'\\';' ; `, [`select E'\\';'`], ''],
  ['select $$;$$, $a$ $$;$b$ $a$;', ['select $$;$$, $a$ $$;$b$ $a$'], ''],
  ['-- nothing; here\nselect 1; /* ; */', ['-- nothing; here\nselect 1'], ''],
  [`select 'open; `, [], `select 'open; `],
  ['do $$ begin; ', [], 'do $$ begin; '],
  [' ; ;; ', [], ''],
])('%s is divided where statements end', (text, statements, rest) => {
  expect(divideStatements(text)).toEqual({ statements, rest });
});

test('a table shows nulls, and nothing that a terminal would obey', () => {
  const result = { command: 'SELECT', columns: ['a', 'long'], rowCount: 2, isCut: false };
  const rows = [
    [null, 'x\u001b[31m\ny'],
    [{ b: 1 }, new Date(0)],
  ];
  expect(resultText({ ...result, rows })).toBe(
    [
      'a       | long',
      '--------+-------------------------',
      'null    | x\\u001b[31m\\ny',
      '{"b":1} | 1970-01-01T00:00:00.000Z',
      '(2 rows)',
    ].join('\n'),
  );
  expect(resultText({ ...result, rows: [['1', '2']], isCut: true }, { isExpanded: true })).toBe(
    '-- row 1\na    | 1\nlong | 2\n(1 row; there are more: see --limit)',
  );
});
