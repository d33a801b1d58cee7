import type { ProofMethod } from './people/second-factors.ts';
import type { Issue } from '#core/errors/errors.ts';
import { refusalWords } from './refusal.ts';

/** A call that the API refused, or that did not reach it; its message and issues are in the person's words. */
export class ApiError extends Error {
  /** The status of the answer; 0: no answer came. */
  readonly status: number;
  /** A code of docs/api/README.md#errors; `OFFLINE` without an answer. */
  readonly code: string;
  /** The wrong fields, by their dotted paths. */
  readonly issues: readonly Issue[];
  /** Id of the call in the server's log. */
  readonly requestId: string | undefined;
  /** What is taken, of an ALREADY_EXIST; what the operator tells about a suspension or a take-down; `no-organization` of a sign-in. */
  readonly reason: string | undefined;

  /** By what the person may show that it is them; undefined: they are not asked. */
  readonly methods: readonly ProofMethod[] | undefined;
  /** Of a sign-in that needs a second factor. */
  readonly token: string | undefined;

  constructor(
    status: number,
    body: {
      code: string;
      message: string;
      issues?: readonly Issue[];
      requestId?: string;
      reason?: string;
      supportContact?: string | null;
      methods?: readonly ProofMethod[];
      token?: string;
    },
  ) {
    const { issues = [], message } = body;
    const [first] = issues;
    const sentences = [message, ...suspensionOf(body)];
    super(
      first === undefined
        ? sentences.map((sentence) => refusalWords(sentence)).join(' ')
        : refusalWords(first.message, first.path),
    );
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.issues = issues.map((issue) => ({ ...issue, message: refusalWords(issue.message) }));
    this.requestId = body.requestId;
    this.reason = body.reason;
    this.methods = body.methods;
    this.token = body.token;
  }

  /** Whether the same call may succeed a moment later. */
  get isPassing(): boolean {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

/** Why an organization is suspended, and where to ask. @returns nothing of other refusals. */
function suspensionOf({ reason, supportContact }: { reason?: string; supportContact?: string | null }): string[] {
  if (supportContact === undefined) return [];
  return [
    ...(reason === undefined ? [] : [`The operator says: “${reason}”`]),
    supportContact === null
      ? 'Ask the operator of this installation.'
      : `Ask the operator: ${supportContact.replace(/^(?:mailto|tel):/, '')}`,
  ];
}

// What else an ALREADY_EXIST may be about.
const callReasons = new Set(['idempotency-key', 'still-running']);

/** @returns the wrong fields of an error, by path; the first message of each. A value that another thing has is wrong at its field. */
export function issuesByPath(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const { code, reason, message, issues } = error;
  if (code === 'ALREADY_EXIST' && reason !== undefined && !callReasons.has(reason)) return { [reason]: message };
  return Object.fromEntries(issues.map(({ path, message }): [string, string] => [path, message]).toReversed());
}

/** Whether the API has answered that the thing does not exist, or that its id is none. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.issues[0]?.path === 'id');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is wrong with a field, or with a part of it such as `tags.0`. */
export function issueAt(issues: Readonly<Record<string, string>>, field: string): string | undefined {
  return issues[field] ?? Object.entries(issues).find(([path]) => path.startsWith(`${field}.`))?.[1];
}
