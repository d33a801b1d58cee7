// @module-tag process

import { expect, it } from 'vitest';
import { prepareSdk } from '#test/support/sdk.ts';
import { shapeOf, walkBySdk } from '#test/support/sdk-walk.ts';

type Call = (...args: unknown[]) => PromiseLike<unknown>;

it('every operation of /doc succeeds by its method, with its own example', { tags: 'nightly' }, async () => {
  await prepareSdk('generate');
  const sdk = await import('#sdk/typescript/src/index.ts');
  const asked: string[] = [];
  const recording = sdk.createWaymark({
    baseUrl: 'https://api.waymark.example',
    async fetch(request) {
      const { method, url } = request as Request;
      asked.push(shapeOf(method, new URL(url).pathname));
      return Response.json({ data: [] });
    },
  });
  const callsOf = (client: typeof recording): Call[] =>
    Object.values(client).flatMap((methods) => Object.values(methods as Record<string, Call>));
  for (const record of callsOf(recording)) await record('1111', '2222');

  const failures = await walkBySdk(async (baseUrl) => {
    const waymark = sdk.createWaymark({ baseUrl, maxRetries: 0 });
    const calls = new Map(callsOf(waymark).map((call, index) => [asked[index], call]));
    return async ({ shape, ids, input, headers }) => calls.get(shape)!(...ids, ...input, { headers });
  });
  expect(failures).toEqual([]);
});
