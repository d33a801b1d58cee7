import { generateSdk } from '#scripts/build/sdk.ts';
import { describeApi } from '#scripts/openapi.ts';
import type { ApiDocument, Description } from './document.ts';

/** An operation of the API under the name that every SDK gives it. */
export interface SdkOperation {
  /** As in `links.create`, in camel case. */
  noun: string;
  verb: string;
  /** The operation's id in `/doc`. */
  id: string;
  /** In capitals. */
  method: string;
  /** As in `/doc`, with its parameters in braces. */
  path: string;
  /** Names of the path's parameters in the order of a method's arguments. */
  ids: readonly string[];
  /** What follows the ids. */
  takes: 'body' | 'query' | undefined;
  /** Of a list alone: the largest `limit` of a page. */
  largestLimit?: number;
  /** The operation in `/doc`. */
  description: Description;
}

type Names = Pick<SdkOperation, 'id' | 'ids' | 'takes' | 'largestLimit'>;
type NounNames = Record<string, Record<string, Names>>;

// A name that the compiler does not follow: it would check the SDK by the settings of this folder, which know no browser.
const nounsModule: string = '#sdk/typescript/src/nouns.ts';

/** Reads the API's document and each of its operations that SDKs have, in the order of sdk/typescript/src/nouns.ts. */
export async function readSdkOperations(
  say: (line: string) => void,
): Promise<{ document: ApiDocument; operations: SdkOperation[] }> {
  await generateSdk(say);
  const { createNouns } = (await import(nounsModule)) as { createNouns(methods: object): NounNames };
  const document = (await describeApi()) as unknown as ApiDocument;
  const described = new Map<string, Pick<SdkOperation, 'method' | 'path' | 'description'>>();
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, description] of Object.entries(item))
      described.set(description.operationId, { method: method.toUpperCase(), path, description });

  const recording = {
    method: (ids: readonly string[], takes: SdkOperation['takes']) => (call: () => unknown) => ({
      id: call.name,
      ids,
      takes,
    }),
    list:
      (ids: readonly string[]) =>
      (call: () => unknown, largestLimit = 50) => ({ id: call.name, ids, takes: 'query', largestLimit }),
  };
  const operations = Object.entries(createNouns(recording)).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, names]) => {
      const found = described.get(names.id);
      if (found === undefined) throw new Error(`/doc has no operation ${names.id}, which ${noun}.${verb} calls.`);
      return { noun, verb, ...names, ...found };
    }),
  );
  return { document, operations };
}
