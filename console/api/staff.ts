import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ToolsInputs, ToolsOutputs } from '#api/staff/router.ts';
import { call } from './client.ts';

// In place of @trpc/client: a call of tRPC over HTTP is one request, and `call` signs in again, waits and shows errors as for every other one
// (docs/adr/0048-two-clients-of-the-console.md).

type Procedures<R> = { [Router in keyof R & string]: `${Router}.${keyof R[Router] & string}` }[keyof R & string];

export type Tool = Procedures<ToolsInputs>;
type Of<R, Path extends string> = Path extends `${infer Router}.${infer Name}`
  ? Router extends keyof R
    ? Name extends keyof R[Router]
      ? R[Router][Name]
      : never
    : never
  : never;
export type ToolInput<Path extends Tool> = Of<ToolsInputs, Path>;
export type ToolOutput<Path extends Tool> = Of<ToolsOutputs, Path>;
export type ListTool = { [Path in Tool]: ToolOutput<Path> extends { items: unknown[] } ? Path : never }[Tool];
export type ToolItem<Path extends ListTool> = ToolOutput<Path> extends { items: (infer Item)[] } ? Item : never;

interface Answer<Data> {
  result: { data: Data };
}

/** Asks a procedure that reads. @throws ApiError with the code and the fields that the REST API would answer. */
export async function ask<Path extends Tool>(
  path: Path,
  input: ToolInput<Path>,
  signal?: AbortSignal,
): Promise<ToolOutput<Path>> {
  const query = input === undefined ? {} : { input: JSON.stringify(input) };
  const answer = await call<Answer<ToolOutput<Path>>>('GET', `/trpc/${path}`, { query, signal });
  return answer.result.data;
}

/** Calls a procedure that changes something. @throws ApiError as `ask`. */
export async function change<Path extends Tool>(path: Path, body: ToolInput<Path>): Promise<ToolOutput<Path>> {
  return (await call<Answer<ToolOutput<Path>>>('POST', `/trpc/${path}`, { body: body ?? {} })).result.data;
}

export function staffQuery<Path extends Tool>(path: Path, input: ToolInput<Path>) {
  return queryOptions({
    queryKey: ['staff', path, input] as const,
    queryFn: ({ signal }): Promise<ToolOutput<Path>> => ask(path, input, signal),
  });
}

export function staffPages<Path extends ListTool>(path: Path, input: ToolInput<Path>) {
  return infiniteQueryOptions({
    queryKey: ['staff', path, 'pages', input] as const,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const page = await ask(path, { ...input, cursor } as ToolInput<Path>, signal);
      return page as unknown as { items: ToolItem<Path>[]; nextCursor: string | null };
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}
