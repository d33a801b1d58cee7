import { ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { reasonOf } from '#core/errors/reason.ts';

test('the reason of a failed call of Temporal has what the service answered', () => {
  const cause = new Error('7 PERMISSION_DENIED: no admin');
  expect(reasonOf(new ServiceError('Failed to create schedule', { cause }))).toBe(
    'Failed to create schedule: 7 PERMISSION_DENIED: no admin',
  );
  expect(reasonOf(new Error('alone'))).toBe('alone');
});
