import { createTRPCClient, httpBatchLink, httpLink, type TRPCClient, TRPCClientError } from '@trpc/client';
import type { AnyProcedure } from '@trpc/server';
import type { FastifyInstance } from 'fastify';
import { createToolsRouter, type ToolsRouter } from '#api/staff/router.ts';
import type { CallErrorShape } from '#api/staff/errors.ts';
import type { Sql } from '#db/connection/database.ts';
import type { TestApi } from './api.ts';
import { useFixture } from './fixture.ts';
import { createPerson, openTestSession, type TestPerson } from './people.ts';

/** Every procedure of the internal tools: its path, and whether it reads or changes something. */
export const procedures: readonly { path: string; type: 'query' | 'mutation' }[] = Object.entries(
  createToolsRouter(new Proxy({}, { get: () => undefined }) as never)._def.procedures,
).map(([path, procedure]) => ({
  path,
  type: (procedure as unknown as AnyProcedure)._def.type as 'query' | 'mutation',
}));

/** A typed client of the internal tools. */
export type ToolsClient = TRPCClient<ToolsRouter>;

/** One of the staff, signed in, with a client of the internal tools. */
export interface TestStaff extends TestPerson {
  headers: Record<string, string | undefined>;
  tools: ToolsClient;
}

/** Makes a client that calls an app without a port; `batches` puts calls of one moment into one request. */
export function createToolsClient(
  app: FastifyInstance,
  headers: Record<string, string | undefined>,
  { batches = false }: { batches?: boolean } = {},
): ToolsClient {
  const sent = Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => !!entry[1]));
  const call: typeof fetch = async (url, init = {}) => {
    const { pathname, search } = new URL(url);
    const answer = await app.inject({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: `${pathname}${search}`,
      headers: { ...(init.headers as Record<string, string>), ...sent },
      ...(init.body === undefined || init.body === null ? {} : { payload: init.body as string }),
    });
    return new Response(answer.body, { status: answer.statusCode });
  };
  const link = batches ? httpBatchLink : httpLink;
  return createTRPCClient<ToolsRouter>({
    links: [link({ url: 'http://localhost/trpc', fetch: call })],
  });
}

/** Makes one of the staff, a member of an organization. */
export async function createStaff(app: FastifyInstance, db: Sql, organizationId: string): Promise<TestStaff> {
  const person = await createPerson(db, { [organizationId]: 'member' });
  await db.query('update users set is_staff = true where id = $1', [person.id]);
  const headers = await openTestSession(db, person.id, organizationId);
  return { ...person, headers, tools: createToolsClient(app, headers) };
}

/** Makes one of the staff, a member of the API's organization, for the tests of a file. */
export const useStaff = (api: TestApi): TestStaff =>
  useFixture(() => createStaff(api.app, api.db, api.organization.id));

/** The error data of a refused call. */
export async function refusalOf(call: Promise<unknown>): Promise<CallErrorShape['data']> {
  const error: unknown = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof TRPCClientError)) throw new Error('The call was not refused.', { cause: error });
  return (error as TRPCClientError<ToolsRouter>).data!;
}
