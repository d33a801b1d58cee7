import type { OutgoingHttpHeaders } from 'node:http';
import type { InjectOptions } from 'fastify';
import sharp from 'sharp';
import type { ApiDependencies } from '#api/dependencies.ts';
import { v7 as uuidv7 } from 'uuid';
import { createTestApi, type TestApi } from './api.ts';
import { type Description, type Operation, readDescription, readDocument, type Schema } from './openapi.ts';
import type { Input } from './operation-inputs.ts';
import { createPerson, createSignedIn, createUserKey } from './people.ts';
import { writeMultipart } from './upload.ts';

/** Headers; undefined: not sent. */
export type Headers = Record<string, string | undefined>;

/** An answer; its body is parsed. */
export interface Called {
  status: number;
  headers: OutgoingHttpHeaders;
  body: { code?: string; issues?: { path: string }[]; id?: string } | undefined;
  csv?: string;
}

/** Calls the operations that the API describes, and holds every answer against the description. */
export interface Walker extends AsyncDisposable {
  api: TestApi;
  description: Description;
  /** All operations: creating ones first, deleting ones last. */
  operations: Operation[];
  /** The operation as the description has it. */
  operationOf(operation: Operation): {
    operationId: string;
    requestBody?: { content: Record<string, { schema: Schema }> };
    responses: Record<string, { content?: object }>;
  };
  /** Ids of things that are there, as far as the walk has made them. */
  idsFor(operation: Operation): string[];
  /** Headers of a caller with the right to the call; each session is new, since some calls end sessions. */
  allowedHeaders(operation: Operation): Promise<Headers>;
  /** @throws Error when the answer is a 500, or not as it is described. */
  call(operation: Operation, input: Input, headers: Headers): Promise<Called>;
  /** As `call`, with a body as it stands; `type` goes with it. */
  send(operation: Operation, headers: Headers, payload?: Buffer | string, type?: string): Promise<Called>;
}

const order = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE'];
const place = ({ method, path }: Operation): number => order.indexOf(method) * 10 + path.split('{').length;
// Imports lie below the path of links, and have ids of their own.
const segmentOf = ({ path }: Operation): string => (isImport(path) ? 'import' : path.split('/')[1]!);
const isImport = (path: string): boolean => path.startsWith('/short-link/import');

/**
 * Builds an API with an owner whose key may do everything, and reads what it says of itself.
 * @param options its identity providers.
 */
export async function createWalker(options: Partial<Pick<ApiDependencies, 'oidc'>> = {}): Promise<Walker> {
  // As in production: answers are sent as the presenters made them, unchecked.
  const api = await createTestApi({ checkAnswers: false, logsRequests: true, ...options });
  const { db, organization } = api;
  // Frees the organization's one bot key for the example of a key.
  await db.query(`delete from api_keys where organization_id = $1 and type = 'bot'`, [organization.id]);
  const owner = await createPerson(db, { [organization.id]: 'owner' });
  const fullKey = await createUserKey(db, organization.id, owner.id);
  const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
  const document = await readDocument(api);
  const description = readDescription(document);
  /** By the first part of the path that made it. */
  const made = new Map<string, string[]>();
  const idsFor = (operation: Operation): string[] => made.get(segmentOf(operation)) ?? [uuidv7()];

  async function inject(operation: Operation, { headers = {}, ...options }: InjectOptions): Promise<Called> {
    const response = await api.app.inject({ method: operation.method, headers: present(headers), ...options });
    const { statusCode: status, payload: text } = response;
    const contentType = response.headers['content-type'];
    const problem =
      status === 500 ? 'an error of the server' : description.problemOf(operation, { status, contentType, text });
    if (problem !== undefined) {
      const sent = JSON.stringify([operation.method, options.url, options.payload]).slice(0, 1_000);
      throw new Error(`${sent} → ${status} ${text.slice(0, 1_000)}: ${problem}`);
    }
    const body = contentType?.includes('json') === true ? (JSON.parse(text) as Called['body']) : undefined;
    if (status === 201 && typeof body?.id === 'string')
      made.set(segmentOf(operation), [...(made.get(segmentOf(operation)) ?? []), body.id]);
    return {
      status,
      headers: response.headers,
      body,
      ...(contentType?.startsWith('text/csv') === true && { csv: text }),
    };
  }

  return {
    api,
    description,
    operations: description.operations.toSorted((one, other) => place(one) - place(other)),
    operationOf: ({ path, method }) => document.paths[path][method.toLowerCase()],
    idsFor,
    async allowedHeaders({ caller }) {
      if (caller === 'key') return { 'x-api-key': fullKey };
      if (caller === 'anybody') return {};
      return (await createSignedIn(db, organization.id, 'owner')).headers;
    },
    call(operation, input, headers) {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
        encodeURIComponent(input.path?.[name] ?? idsFor(operation).at(-1)!),
      );
      const url = `${path}${queryOf(input.query ?? {})}`;
      if (input.body !== undefined) {
        const payload = JSON.stringify(input.body);
        return inject(operation, { url, payload, headers: { 'content-type': 'application/json', ...headers } });
      }
      if (!operation.isMultipart) return inject(operation, { url, headers });
      const content = isImport(operation.path) ? 'keyword,url\n' : picture;
      const { payload, headers: types } = writeMultipart([{ content }]);
      return inject(operation, { url, payload, headers: { ...types, ...headers } });
    },
    send(operation, headers, payload, type = 'application/json') {
      const url = operation.path.replaceAll(/\{\w+\}/g, uuidv7());
      if (payload === undefined) return inject(operation, { url, headers });
      return inject(operation, { url, payload, headers: { 'content-type': type, ...headers } });
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

function present(headers: NonNullable<InjectOptions['headers']>): InjectOptions['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one).toWellFormed())}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
