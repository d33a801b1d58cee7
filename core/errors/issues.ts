import type { z } from 'zod';
import { type AppError, invalidFields, type Issue, maxIssues } from './errors.ts';

/** The first failing fields of what a schema refused, at most `maxIssues`, and how many more there are. */
export interface IssueList {
  readonly issues: Issue[];
  readonly moreIssues: number;
}

// Of a name that a client made up; the issue is found by its beginning.
const maxNameLength = 200;

/** Names the failing fields of what a schema refused. */
export function toIssues(issues: readonly z.core.$ZodIssue[]): IssueList {
  const named: Issue[] = [];
  let moreIssues = 0;

  // A body can fail in a hundred thousand places: only those that are answered are turned into paths and messages.
  function add(path: readonly PropertyKey[], message: string): void {
    if (named.length < maxIssues) named.push({ path: toPath(path), message });
    else moreIssues += 1;
  }

  function addAll(found: readonly z.core.$ZodIssue[], parent: readonly PropertyKey[]): void {
    for (const issue of found) {
      const path = named.length < maxIssues ? [...parent, ...issue.path] : parent;
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys) add([...path, key], 'is not a known field');
        continue;
      }
      // The alternative that got furthest is the one that was meant.
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

/** A VALIDATION_ERROR for what a schema refused. */
export function invalidBy(issues: readonly z.core.$ZodIssue[]): AppError {
  const list = toIssues(issues);
  return invalidFields(list.issues, list.moreIssues);
}

function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => {
      const name = String(part);
      return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
    })
    .join('.');
}
