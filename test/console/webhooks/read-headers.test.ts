import { expect, it } from 'vitest';
import { readHeaders } from '#console/webhooks/one/dialogs/read-headers.ts';

it('headers of a webhook are read from lines, also one called __proto__', () => {
  const { headers, wrongLine } = readHeaders('X-Tenant: a: b \n\n __proto__:1');
  expect([Object.entries(headers ?? {}), wrongLine]).toEqual([
    [
      ['X-Tenant', 'a: b'],
      ['__proto__', '1'],
    ],
    undefined,
  ]);
});

it('of lines the first that is no header is named, and no lines are no headers', () => {
  expect(readHeaders('X-A: 1\nX-B')).toEqual({ headers: undefined, wrongLine: 2 });
  expect(readHeaders(' \n')).toEqual({ headers: undefined, wrongLine: undefined });
});
