import { expect, test } from 'vitest';
import { z } from 'zod';
import { toIssues } from '#core/errors/issues.ts';
import { text } from '#core/lib/schemas.ts';

test.each([
  [z.string(), undefined, 'is required'],
  [z.string(), 1, 'must be a string'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), {}, 'must be a list'],
  [z.object({}), [], 'must be an object'],
  [z.string().max(3), 'abcd', 'must have at most 3 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [text({ max: 3 }), 'abcd', 'must have at most 3 characters'],
  [text({ min: 1, max: 3 }), '', 'must have 1 to 3 characters'],
  [z.string().min(2), 'a', 'must have at least 2 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.number().max(50), 51, 'must be at most 50'],
  [z.number().min(1), 0, 'must be at least 1'],
  [z.number().gt(100), 100, 'must be more than 100'],
  [z.guid(), 'x', 'must be a UUID'],
  [z.email(), 'x', 'must be an e-mail address'],
  [z.iso.datetime(), 'x', 'must be a date and time of ISO 8601, such as 2026-01-31T12:00:00Z'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.enum(['a', 'b']), undefined, 'is required'],
  [z.literal('a'), 'c', 'must be a'],
  [z.union([z.string(), z.number()]), true, 'must be a string or a number'],
  [z.union([z.string(), z.object({ a: z.string() })]), 3, 'must be a string or an object'],
  [z.union([z.string().min(2), z.string().regex(/^\d$/)]), 'a', 'has the wrong form'],
  [z.string().regex(/^a$/, 'must be the first letter'), 'b', 'must be the first letter'],
])('issue %# has a message in plain words', (schema, value, message) => {
  expect(schema.safeParse(value).error?.issues[0]?.message).toBe(message);
});

test.each([
  ['a\u0000b', 'a\ufffdb'],
  ['a\ud800b', 'a\ufffdb'],
  [`${'x'.repeat(199)}\u{1f600}`, `${'x'.repeat(199)}\ufffd…`],
])('the path of unknown field %# can be stored as JSON by PostgreSQL', (name, path) => {
  const { error } = z.strictObject({}).safeParse({ [name]: 1 });
  expect(toIssues(error!.issues).issues).toEqual([{ path, message: 'is not a known field' }]);
});

test.each([
  [z.array(z.string()).max(5), 'browser', 'must be a list'],
  [z.array(z.string()).min(1), '', 'must be a list'],
  [z.array(z.string()).length(2), 'abc', 'must be a list'],
  [z.string().max(1), ['a', 'b'], 'must be a string'],
  [text({ max: 1 }), ['a', 'b'], 'must be a string'],
])('value %# of the wrong type has that issue alone, and no length', (schema, value, message) => {
  const { error } = z.object({ a: schema, b: z.int() }).safeParse({ a: value, b: 1.5 });
  expect(toIssues(error!.issues).issues).toEqual([
    { path: 'a', message },
    { path: 'b', message: 'must be a whole number' },
  ]);
});

test('items of a list have their lengths told beside a neighbour of the wrong type', () => {
  const { error } = z.array(z.string().max(1)).safeParse([1, 'ab']);
  expect(toIssues(error!.issues).issues).toEqual([
    { path: '0', message: 'must be a string' },
    { path: '1', message: 'must have at most 1 character' },
  ]);
});
