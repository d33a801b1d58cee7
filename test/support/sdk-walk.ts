import sharp from 'sharp';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createOidcClient } from '#adapters/oidc.ts';
import { startOidc } from './oidc.ts';
import type { Operation } from './openapi.ts';
import { exampleOf } from './operation-inputs.ts';
import { createPreparations } from './preparations.ts';
import { createWalker } from './walker.ts';

/** A call that an SDK is asked to make. */
export interface SdkCall {
  /** As `shapeOf` has it. */
  shape: string;
  ids: readonly (string | undefined)[];
  /** The body, the query or the file of the call; none where it takes none. */
  input: readonly (object | undefined)[];
  headers: Record<string, string>;
}

/** Method and path without ids: those of the description, and `1111` and `2222`, by which SDKs tell which method makes which call. */
export const shapeOf = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/\{\w+\}|\b[12]{4}\b/g, '{}')}`;

const csv = new File(['destination,slug\nhttps://example.com/row,sdk-row\n'], 'links.csv');
// A browser follows them from the provider to the console.
const byBrowser = /^\/auth\/oidc\/callback/;
// Imports lie below the path of links, and have ids of their own.
const segmentOf = ({ path }: Operation): string =>
  path.startsWith('/short-link/import') ? 'import' : (path.split('/')[1] ?? '');

/**
 * Has an SDK make a call of every operation of `/doc`, with its own example.
 * @param connect what makes calls at the address of an API. @returns a line for each call that failed.
 */
export async function walkBySdk(
  connect: (baseUrl: string) => Promise<(call: SdkCall) => Promise<unknown>>,
): Promise<string[]> {
  await using oidc = await startOidc(/^http:\/\/localhost:3000\/auth\/oidc\/callback\/[0-9a-f-]{36}$/);
  const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
  const client = createOidcClient({ http });
  await using walker = await createWalker({ oidc: { trusted: client, guarded: client } });
  const make = await connect(await walker.api.app.listen({ host: '127.0.0.1', port: 0 }));

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
        ? [body as object]
        : operation.parameters.some(({ in: place }) => place === 'query')
          ? [query]
          : [];
    const known = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    try {
      const shape = shapeOf(operation.method, operation.path);
      const answer = await make({ shape, ids, input, headers: Object.fromEntries(known) });
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
  return failures;
}
