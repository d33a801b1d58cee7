import { expect, test } from 'vitest';
import { detailsOf } from '#workflows/shared.ts';

test('details end in an empty paragraph, which the Temporal UI cuts off', () => {
  const text = detailsOf(['**go.example.com**: Verified.', '', '- checks: 1']);
  expect(text.trim()).toBe('**go.example.com**: Verified.\n\n- checks: 1');
  expect(text.split('\n\n').at(-1)).toBe('\u00a0');
});
