// @module-tag process

import { expect, it } from 'vitest';
import { callEveryOperation, shapeOf } from '#test/support/every-operation.ts';
import { prepareSdk } from '#test/support/sdk.ts';

type Call = (...args: unknown[]) => PromiseLike<unknown>;

it('every operation of /doc succeeds by its method, and fails by the API’s code', { tags: 'nightly' }, async () => {
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
  const callsOf = (waymark: typeof recording): Call[] =>
    Object.values(waymark).flatMap((methods) => Object.values(methods as Record<string, Call>));
  for (const record of callsOf(recording)) await record('1111', '2222');

  const failures = await callEveryOperation((baseUrl) => {
    const waymark = sdk.createWaymark({ baseUrl, maxRetries: 0 });
    const calls = new Map(callsOf(waymark).map((call, index) => [asked[index], call]));
    return ({ operation, ids, input, file, headers }) => {
      const sent = file === undefined ? input : { file: new File([new Uint8Array(file.content)], file.name) };
      const call = calls.get(shapeOf(operation.method, operation.path))!;
      return call(...ids, ...(sent === undefined ? [] : [sent]), { headers });
    };
  });
  expect(failures).toEqual([]);
});
