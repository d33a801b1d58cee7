import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type McpCall, mcpCall } from '#api/plugins/caller/mcp-call.ts';

/** A file of a call: its field is `file`. */
interface Upload {
  name: string;
  text: string;
  fields: Record<string, string | undefined>;
}

type Value = string | number | boolean | undefined;
type Query = Record<string, Value | readonly Value[]>;

interface CallInput {
  query?: Query;
  body?: unknown;
  upload?: Upload;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Calls of the REST API as the caller of a tool: with its key, from its address, within its limits. */
export interface Rest {
  /** @returns the parsed body. @throws ToolError with what to do next, where the answer is no success. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the API's own answers, which its schemas check
  call(method: Method, path: string, input?: CallInput): Promise<any>;
  /** @returns the bytes of a GET. @throws as `call`. */
  read(path: string, query: Query): Promise<{ bytes: Buffer; type: string }>;
}

/** An error for the model: it ends with the next call. */
export class ToolError extends Error {
  /** Of the API's answer; undefined: the tool itself refuses. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** What follows a call whose arguments are refused. */
export const correctFields = 'Correct the fields that are named, and call the tool again.';
// Fields of the API that tools call otherwise.
const ownNames: readonly [RegExp, string][] = [
  [/^change\./, ''],
  [/(?<=^|\.)destination\.value$/, 'destination'],
  [/^ids(?=\.|$)/, 'links'],
  [/^startDate$/, 'from'],
  [/^endDate$/, 'until'],
  [/^groupBys(?=\.|$)/, 'groupBy'],
  [/^(domain|folder|tag)(?:Ids?|Names)(?:\.\d+)?$/, '$1'],
  [/^(?:shortLinkIds|externalIds)(?:\.\d+)?$/, 'link'],
  [/^file$/, 'csv'],
];
const toOwnName = (path: string): string => ownNames.reduce((name, [field, own]) => name.replace(field, own), path);
const toOwnWords = (message: string): string =>
  message.replaceAll(/\b(?:startDate|endDate|domainId|folderId)\b/g, (field) => toOwnName(field));

const nextSteps: Record<string, string> = {
  VALIDATION_ERROR: correctFields,
  UNAUTHORIZED: 'Ask the person for a valid API key, or to connect this app again.',
  ACTION_NOT_ALLOWED: 'An admin of the organization can widen what this key, or the role of the person, may do.',
  FORBIDDEN: 'Neither this key nor the person may do that here: ask the person.',
  FEATURE_NOT_AVAILABLE: 'Call get_account to see the plan.',
  PLAN_LIMIT_REACHED: 'Call get_account to see the plan; delete_links frees places.',
  NOT_FOUND: 'Call find_links (list_domains, list_webhooks or list_imports) to see what there is.',
  ALREADY_EXIST: 'Choose another name, or call get_link to see what has this one.',
  CONFLICT: 'Call get_link to read it as it is, then repeat the change.',
  RATE_LIMIT_EXCEEDED: 'Wait, then call the tool again with the same arguments.',
  SERVICE_UNAVAILABLE: 'Wait some seconds, then call the tool again with the same arguments.',
};

// A key may make five calls a second, and a tool makes several: it waits for its turn, shorter than clients wait for an answer.
const longestWaitMs = 15_000;

export interface McpCaller extends McpCall {
  /** Undefined: it came with an access token. */
  key?: string | undefined;
  address: string;
}

/** Calls for one use of a tool. */
export function createRest(app: FastifyInstance, { key, address, ...call }: McpCaller): Rest {
  let waitableMs = longestWaitMs;

  async function send(method: Method, path: string, { query = {}, body, upload }: CallInput) {
    const form = upload === undefined ? undefined : await encodeForm(upload);
    const headers = {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...form?.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const payload = form?.payload ?? (body === undefined ? undefined : JSON.stringify(body));
    const url = `${path}${spell(query)}`;
    const inject = () =>
      mcpCall.run(call, async () => app.inject({ method, url, headers, payload, remoteAddress: address }));
    let answer = await inject();
    while (answer.statusCode === 429) {
      const waitMs = Math.max(Number(answer.headers['retry-after'] ?? Infinity), 1) * 1_000;
      if (waitMs > waitableMs) break;
      waitableMs -= waitMs;
      await sleep(waitMs);
      answer = await inject();
    }
    if (answer.statusCode >= 400) throw errorOf(answer.payload, answer.headers['retry-after']);
    return answer;
  }

  return {
    call: async (method, path, input = {}) => (await send(method, path, input)).json(),
    async read(path, query) {
      const { rawPayload, headers } = await send('GET', path, { query });
      return { bytes: rawPayload, type: String(headers['content-type']).split(';')[0]! };
    },
  };
}

/** An error of the API: of a call, or of one row of many. */
export interface Refusal {
  code: string;
  message: string;
  issues?: { path: string; message: string }[];
}

function errorOf(payload: string, retryAfter: number | string | string[] | undefined): ToolError {
  const { requestId, ...refusal } = JSON.parse(payload) as Refusal & { requestId: string };
  const { code } = refusal;
  const wait = retryAfter === undefined ? '' : ` (after ${[retryAfter].flat().join()} s)`;
  const next = nextSteps[code] ?? 'Call the tool again; if it fails again, tell the person the request id.';
  return new ToolError(`${code}${wait}: ${describeRefusal(refusal)}\nRequest id: ${requestId}\nNext: ${next}`, code);
}

/** Says why a call or row is refused, by the names of the tool's fields. */
export function describeRefusal({ message, issues = [] }: Refusal): string {
  // The message of refused fields is that of the first, with its name.
  if (issues.length === 0) return toOwnWords(message);
  const fields = issues.map((issue) => `\n- ${toOwnName(issue.path)}: ${toOwnWords(issue.message)}`);
  return `These fields are refused:${fields.join('')}`;
}

function spell(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one): [string, string][] => (one === undefined ? [] : [[name, String(one)]])),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

async function encodeForm({ name, text, fields }: Upload) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) form.append(field, value);
  form.append('file', new File([text], name, { type: 'text/csv' }));
  const encoded = new Response(form);
  const payload = Buffer.from(await encoded.arrayBuffer());
  return { payload, headers: { 'content-type': encoded.headers.get('content-type') ?? '' } };
}
