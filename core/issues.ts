import type { z } from 'zod';
import type { Issue } from './errors.ts';

/** Names every failing field of what a schema refused. */
export function toIssues(issues: readonly z.core.$ZodIssue[], parent: readonly PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue): Issue[] => {
    const path = [...parent, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: toPath([...path, key]), message: 'is not a known field' }));
    }
    if (issue.code === 'invalid_union') {
      // The alternative that got furthest is the one that was meant.
      const nearest = issue.errors.find((errors) =>
        errors.some((error) => error.path.length > 0 || error.code !== 'invalid_type'),
      );
      if (nearest !== undefined) return toIssues(nearest, path);
    }
    return [{ path: toPath(path), message: issue.message }];
  });
}

const toPath = (path: readonly PropertyKey[]): string => path.map(String).join('.');
