import sharp from 'sharp';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createOidcClient } from '#adapters/oidc.ts';
import { startOidc } from './oidc.ts';
import { exampleOf, type Input } from './operation-inputs.ts';
import type { Operation } from './openapi.ts';
import { createPreparations } from './preparations.ts';
import { createWalker, type Headers } from './walker.ts';

/** What an SDK is asked to call. */
export interface Invocation {
  operation: Operation;
  ids: (string | undefined)[];
  /** The body or the query; undefined where the operation takes neither. */
  input: unknown;
  /** What is uploaded, in place of a body. */
  file: { name: string; content: Buffer } | undefined;
  headers: Record<string, string>;
}

/** Calls an operation by an SDK. @returns what the SDK answers. @throws SdkError when the call fails. */
type CallBySdk = (invocation: Invocation) => PromiseLike<unknown>;

/** What is read of an error that an SDK throws. */
interface SdkError extends Error {
  code?: string | null;
  requestId?: string | null;
}

const unknownId = '01890000-0000-7000-8000-000000000000';

/** Method and path without ids: those of the description, and `1111` and `2222`, by which SDKs tell which method makes which call. */
export const shapeOf = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/\{\w+\}|\b[12]{4}\b/g, '{}')}`;

const csv = Buffer.from('destination,slug\nhttps://example.com/row,sdk-row\n');
// A browser follows them from the provider to the console.
const byBrowser = /^\/auth\/oidc\/callback/;
// Imports lie below the path of links, and have ids of their own.
const segmentOf = ({ path }: Operation): string =>
  path.startsWith('/short-link/import') ? 'import' : (path.split('/')[1] ?? '');

/**
 * Calls every operation of `/doc` by an SDK: without a key and, where it takes an id, with an unknown one, which must fail with the code and
 * the request id of the API; then with its own example.
 * @param connect gives the calls of the SDK at an address of the API.
 * @returns the calls that failed in another way than they should, a line each.
 */
export async function callEveryOperation(connect: (baseUrl: string) => CallBySdk): Promise<string[]> {
  await using oidc = await startOidc(/^http:\/\/localhost:3000\/auth\/oidc\/callback\/[0-9a-f-]{36}$/);
  const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
  const client = createOidcClient({ http });
  await using walker = await createWalker({ oidc: { trusted: client, guarded: client } });
  const callBySdk = connect(await walker.api.app.listen({ host: '127.0.0.1', port: 0 }));
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
  const prepare = createPreparations(walker.api, oidc);
  const failures: string[] = [];
  /** Ids of what the calls have made, by the first part of the path. */
  const made = new Map<string, string>();
  const refuse = async (operation: Operation, headers: Headers, expected: string): Promise<void> => {
    const { query, body } = exampleOf(operation, walker.description.resolve);
    const names = operation.path.match(/\{\w+\}/g) ?? [];
    const error = await Promise.resolve(
      callBySdk({
        operation,
        ids: names.map(() => unknownId),
        // The moment of the example lies too far back.
        input: operation.path.endsWith('/recover')
          ? { since: new Date().toISOString() }
          : inputOf(operation, { query, body }),
        file: operation.isMultipart ? { name: 'links.csv', content: csv } : undefined,
        headers: sentOf(headers),
      }),
    ).then(
      () => undefined,
      (thrown: SdkError) => thrown,
    );
    if (error?.code !== expected || !error.requestId)
      failures.push(`${operation.name}: ${error?.message ?? 'it succeeded'} in place of ${expected}`);
  };
  const call = async (operation: Operation): Promise<void> => {
    const { operationId } = walker.operationOf(operation);
    const prepared = await prepare(operationId);
    const { headers = await walker.allowedHeaders(operation), ...more } = prepared ?? {};
    const { path = {}, query, body } = { ...exampleOf(operation, walker.description.resolve), ...more };
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const ids = names.map(
      (name) => path[name === 'urlKey' ? '' : name] ?? made.get(name === 'urlKey' ? name : segmentOf(operation)),
    );
    const content = operation.path === '/short-link/import' ? csv : png;
    const name = content === csv ? 'links.csv' : 'logo.png';
    try {
      const answer = await callBySdk({
        operation,
        ids,
        input: inputOf(operation, { query, body }),
        file: operation.isMultipart ? { name, content } : undefined,
        headers: sentOf(headers),
      });
      const { id, url } = (answer ?? {}) as { id?: unknown; url?: unknown };
      const isFirst = ids.length === 0 && prepared === undefined && !made.has(segmentOf(operation));
      if (isFirst && operation.method === 'POST' && typeof id === 'string') made.set(segmentOf(operation), id);
      const [, urlKey] = /\/files\/public\/(\w+)$/.exec(String(url)) ?? [];
      if (urlKey !== undefined) made.set('urlKey', urlKey);
    } catch (error) {
      failures.push(`${operationId}: ${(error as Error).message}`);
    }
  };
  const operations = walker.operations.filter(({ path }) => !byBrowser.test(path));
  for (const operation of operations) {
    if (operation.caller !== 'anybody') await refuse(operation, {}, 'UNAUTHORIZED');
    if (operation.path.includes('{id}')) await refuse(operation, await walker.allowedHeaders(operation), 'NOT_FOUND');
  }
  for (const operation of operations) await call(operation);
  await http.close();
  return failures;
}

/** The one of both that an operation takes. */
function inputOf({ body: bodySchema, parameters }: Operation, { query = {}, body }: Input): unknown {
  if (bodySchema !== undefined) return body;
  return parameters.some(({ in: place }) => place === 'query') ? query : undefined;
}

function sentOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}
