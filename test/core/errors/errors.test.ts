import { expect, it } from 'vitest';
import { AppError, type ErrorCode } from '#core/errors/errors.ts';

it('an ALREADY_EXIST without its reason and an ACTION_NOT_ALLOWED without resource and action do not compile (1.2)', () => {
  const made = [
    // @ts-expect-error -- what is taken is missing
    () => new AppError('ALREADY_EXIST', 'It exists.'),
    // @ts-expect-error -- no such thing can be taken
    () => new AppError('ALREADY_EXIST', 'It exists.', { reason: 'color' }),
    // @ts-expect-error -- the action is missing
    () => new AppError('ACTION_NOT_ALLOWED', 'You may not.', { resource: 'shortLinks' }),
    // @ts-expect-error -- it may be one of the two
    (any: ErrorCode) => new AppError(any, 'One of all.'),
    () => new AppError('ALREADY_EXIST', 'It exists.', { reason: 'slug' }),
  ];
  expect(made.map((make) => make('NOT_FOUND').status)).toEqual([409, 409, 403, 404, 409]);
});
