import * as z from 'zod';
import { type AppError, invalidFields, type Issue, maxIssues } from './errors.ts';

/** The wrong fields of a value that a schema refused, `maxIssues` at most, and how many it leaves out. */
export interface IssueList {
  readonly issues: Issue[];
  readonly moreIssues: number;
}

// A choice, in characters: a client may send field names of any length, and the beginning is enough to find the field.
const maxNameLength = 200;

/** Lists the wrong fields of a value that a schema refused. */
export function toIssues(issues: readonly z.core.$ZodIssue[]): IssueList {
  const named: Issue[] = [];
  let moreIssues = 0;

  // A body can fail in a hundred thousand places: paths and messages are built only for the issues that are shown.
  function add(path: readonly PropertyKey[], message: string): void {
    if (named.length < maxIssues) named.push({ path: toPath(path), message });
    else moreIssues += 1;
  }

  function addAll(found: readonly z.core.$ZodIssue[], parent: readonly PropertyKey[]): void {
    for (const [index, issue] of found.entries()) {
      if (measuresWrongType(issue, found[index - 1])) continue;
      const path = named.length < maxIssues ? [...parent, ...issue.path] : parent;
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys) add([...path, key], 'is not a known field');
        continue;
      }
      // Of a union the alternative that got furthest is shown: the client meant that one.
      const nearest =
        issue.code === 'invalid_union'
          ? issue.errors.find((errors) =>
              errors.some((error) => error.path.length > 0 || error.code !== 'invalid_type'),
            )
          : undefined;
      if (nearest === undefined) add(path, issue.message);
      else addAll(nearest, path);
    }
  }

  addAll(issues, []);
  return { issues: named, moreIssues };
}

/** Zod measures a text in place of a list too, in characters, behind the issue that says that it is no list. */
function measuresWrongType(issue: z.core.$ZodIssue, before: z.core.$ZodIssue | undefined): boolean {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return false;
  return before?.code === 'invalid_type' && toPath(before.path) === toPath(issue.path);
}

/** A VALIDATION_ERROR for a value that a schema refused. */
export function invalidBy(issues: readonly z.core.$ZodIssue[]): AppError {
  const list = toIssues(issues);
  return invalidFields(list.issues, list.moreIssues);
}

function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => {
      const name = String(part);
      return storable(name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name);
    })
    .join('.');
}

/**
 * A field name that PostgreSQL and UTF-8 can hold: the results of a bulk call are stored for its Idempotency-Key. A client may send
 * names with a NUL, or with half of a surrogate pair, which the cut above leaves too.
 */
function storable(name: string): string {
  return name.toWellFormed().replaceAll('\u0000', '\ufffd');
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  null: 'null',
};

const formatNames: Record<string, string> = {
  datetime: 'a date and time of ISO 8601, such as 2026-01-31T12:00:00Z',
  date: 'a date of ISO 8601, such as 2026-01-31',
  email: 'an e-mail address',
  guid: 'a UUID',
  uuid: 'a UUID',
  url: 'a URL',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
};

/** Message of an issue, to be read after its field's name: `must be a UUID`. For schemas without a message of their own. */
function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return tooBig(issue);
    case 'too_small':
      return tooSmall(issue);
    case 'invalid_format':
      return formatNames[issue.format] === undefined ? 'has the wrong form' : `must be ${formatNames[issue.format]}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return wrongTypes(issue.errors) ?? 'has the wrong form';
    case 'invalid_key':
    case 'invalid_element':
      return 'has the wrong form';
    default:
      return undefined;
  }
}

/** Names the types that a union takes, where the value is of none of them. */
function wrongTypes(branches: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const types = new Set<string>();
  for (const [issue] of branches) {
    if (issue?.code !== 'invalid_type' || issue.path.length > 0) return undefined;
    types.add(typeNames[issue.expected] ?? issue.expected);
  }
  return types.size === 0 ? undefined : `must be ${[...types].join(' or ')}`;
}

function tooBig({ origin, maximum }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (origin === 'string') return `must have at most ${counted(maximum, 'character')}`;
  if (origin === 'array' || origin === 'set') return `must have at most ${counted(maximum, 'item')}`;
  return `must be at most ${maximum}`;
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const isText = origin === 'string';
  if (!isText && origin !== 'array' && origin !== 'set') {
    return `must be ${inclusive === false ? 'more than' : 'at least'} ${minimum}`;
  }
  if (minimum === 1) return 'must not be empty';
  return `must have at least ${counted(minimum, isText ? 'character' : 'item')}`;
}

function counted(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;
}

// A setting of the whole process: every module that parses input imports this one.
z.config({ customError: issueMessage });
