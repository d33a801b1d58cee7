import { AppError, invalid } from '#core/errors/errors.ts';

/** The versions of a resource that a caller permits to change; `*`: any. */
export type Precondition = '*' | readonly string[];

const tag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * The version of a resource for the header `ETag`: it changes with `updatedAt`, so with every change by clients; new clicks and
 * verdicts leave it as it is.
 */
export function versionOf(updatedAt: Date | string): string {
  return `"${new Date(updatedAt).getTime().toString(36)}"`;
}

/** Reads the header `If-Match` (RFC 9110, 13.1.1). @throws AppError VALIDATION_ERROR where it is malformed. */
export function readPrecondition(header: string): Precondition {
  if (header.trim() === '*') return '*';
  const tags = header.split(',').map((part) => part.trim());
  if (!tags.every((part) => tag.test(part))) throw invalid('If-Match', 'must be * or a list of ETags');
  return tags;
}

/** @throws AppError CONFLICT where a precondition no longer holds: weak tags never match. */
export function requireVersion(precondition: Precondition | undefined, { updatedAt }: { updatedAt: Date }): void {
  if (precondition === undefined || precondition === '*' || precondition.includes(versionOf(updatedAt))) return;
  throw new AppError('CONFLICT');
}
