import { createHash } from 'node:crypto';
import { AppError } from '#core/errors/errors.ts';

/** The versions of a resource that a caller permits to change; `*`: any. */
export type Precondition = '*' | readonly string[];

const tag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The part of a resource that its version depends on: `folder` and `tags` of a link, which are renamed without it. */
interface Versioned {
  updatedAt: Date | string;
  folder?: Label | undefined;
  tags?: readonly Label[] | undefined;
}

interface Label {
  id: string;
  name: string;
  color: string;
}

/**
 * The version of a resource for the header `ETag`: it changes with `updatedAt`, so with every change by clients, and with names and
 * colors of a link's folder and tags; new clicks and verdicts leave it as it is.
 */
export function versionOf({ updatedAt, folder, tags = [] }: Versioned): string {
  const moment = new Date(updatedAt).getTime().toString(36);
  if (folder === undefined) return `"${moment}"`;
  const labels = [folder, ...tags.toSorted((one, other) => (one.id < other.id ? -1 : 1))];
  const text = JSON.stringify(labels.map(({ id, name, color }) => [id, name, color]));
  return `"${moment}-${createHash('sha256').update(text).digest('base64url').slice(0, 12)}"`;
}

/** Reads the header `If-Match` (RFC 9110, 13.1.1). @returns undefined where it is malformed. */
export function readPrecondition(header: string): Precondition | undefined {
  if (header.trim() === '*') return '*';
  const tags = header.split(',').map((part) => part.trim());
  return tags.every((part) => tag.test(part)) ? tags : undefined;
}

/** @throws AppError CONFLICT where a precondition no longer holds: weak tags never match. */
export function requireVersion(precondition: Precondition | undefined, resource: Versioned): void {
  if (precondition === undefined || precondition === '*' || precondition.includes(versionOf(resource))) return;
  throw new AppError('CONFLICT');
}
