// @module-tag process

import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createOidcClient } from '#adapters/oidc.ts';
import { startOidc } from '#test/support/oidc.ts';
import { exampleOf } from '#test/support/operation-inputs.ts';
import type { Operation } from '#test/support/openapi.ts';
import { createPreparations } from '#test/support/preparations.ts';
import { prepareSdk } from '#test/support/sdk.ts';
import { createWalker } from '#test/support/walker.ts';

type Call = (...args: unknown[]) => PromiseLike<unknown>;

const csv = new File(['destination,slug\nhttps://example.com/row,sdk-row\n'], 'links.csv');
// A browser follows them from the provider to the console.
const byBrowser = /^\/auth\/oidc\/callback/;
// Imports lie below the path of links, and have ids of their own.
const segmentOf = ({ path }: Operation): string =>
  path.startsWith('/short-link/import') ? 'import' : (path.split('/')[1] ?? '');
const shapeOf = (method: string, path: string): string => `${method} ${path.replaceAll(/\{\w+\}|\b[12]{4}\b/g, '{}')}`;

it('every operation of /doc succeeds by its method, with its own example', { tags: 'nightly' }, async () => {
  await prepareSdk('generate');
  const sdk = await import('#sdk/typescript/src/index.ts');
  await using oidc = await startOidc(/^http:\/\/localhost:3000\/auth\/oidc\/callback\/[0-9a-f-]{36}$/);
  const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
  const client = createOidcClient({ http });
  await using walker = await createWalker({ oidc: { trusted: client, guarded: client } });
  const baseUrl = await walker.api.app.listen({ host: '127.0.0.1', port: 0 });

  const asked: string[] = [];
  const recording = sdk.createWaymark({
    baseUrl: 'https://api.waymark.example',
    async fetch(request) {
      const { method, url } = request as Request;
      asked.push(shapeOf(method, new URL(url).pathname));
      return Response.json({ data: [] });
    },
  });
  const waymark = sdk.createWaymark({ baseUrl, maxRetries: 0 });
  const callsOf = (client: typeof waymark): Call[] =>
    Object.values(client).flatMap((methods) => Object.values(methods as Record<string, Call>));
  for (const record of callsOf(recording)) await record('1111', '2222');
  const calls = new Map(callsOf(waymark).map((call, index) => [asked[index], call]));

  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
  const picture = new File([new Uint8Array(png)], 'logo.png');
  const prepare = createPreparations(walker.api, oidc);
  const failures: string[] = [];
  /** Ids of what the calls have made, by the first part of the path. */
  const made = new Map<string, string>();
  const call = async (operation: Operation): Promise<void> => {
    const { operationId } = walker.operationOf(operation);
    const prepared = await prepare(operationId);
    const { headers = await walker.allowedHeaders(operation), ...more } = prepared ?? {};
    const { path = {}, query, body } = { ...exampleOf(operation, walker.description.resolve), ...more };
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const ids = names.map(
      (name) => path[name === 'urlKey' ? '' : name] ?? made.get(name === 'urlKey' ? name : segmentOf(operation)),
    );
    const input = operation.isMultipart
      ? [{ file: operation.path === '/short-link/import' ? csv : picture }]
      : operation.body !== undefined
        ? [body]
        : operation.parameters.some(({ in: place }) => place === 'query')
          ? [query]
          : [];
    const known = Object.entries(headers).filter(([, value]) => value !== undefined);
    const options = { headers: Object.fromEntries(known) };
    try {
      const answer = await calls.get(shapeOf(operation.method, operation.path))!(...ids, ...input, options);
      const { id, url } = (answer ?? {}) as { id?: unknown; url?: unknown };
      const isFirst = ids.length === 0 && prepared === undefined && !made.has(segmentOf(operation));
      if (isFirst && operation.method === 'POST' && typeof id === 'string') made.set(segmentOf(operation), id);
      const [, urlKey] = /\/files\/public\/(\w+)$/.exec(String(url)) ?? [];
      if (urlKey !== undefined) made.set('urlKey', urlKey);
    } catch (error) {
      failures.push(`${operationId}: ${(error as Error).message}`);
    }
  };
  for (const operation of walker.operations) if (!byBrowser.test(operation.path)) await call(operation);
  await http.close();
  expect(failures).toEqual([]);
});
