import type { Issue } from '#core/errors/errors.ts';
import { textNames } from './fields.ts';

const members = ['slug', ...textNames, 'tags', 'destination', 'rules', 'qrCode', 'metaTags'] as const;

/** The fields of a link whose size is limited: clients set them, and the edge keeps them in memory. */
export type LinkContent = { readonly [Member in (typeof members)[number]]?: unknown };

/** Limit of a link with everything that belongs to it, in bytes (3.1): edges keep thousands of links in memory. */
const maxLinkBytes = 131_072;

// Set by answers alone, or of a fixed length.
const uncounted = new Set(['id', 'imageId', 'image', 'imageKey', 'color', 'threatTypes']);

/** Bytes of all texts of a link, in UTF-8. */
export function linkBytes(content: LinkContent): number {
  return members.reduce((sum, member) => sum + bytesOf(content[member]), 0);
}

/** Checks the size of a link. @returns the problem at its largest field, or undefined. */
export function linkSizeProblem(content: LinkContent): Issue | undefined {
  const bytes = linkBytes(content);
  if (bytes <= maxLinkBytes) return undefined;
  const path = members.toSorted((one, other) => bytesOf(content[other]) - bytesOf(content[one]))[0]!;
  return {
    path,
    message: `makes the link too large: ${bytes} bytes with all that belongs to it, ${maxLinkBytes} at most`,
  };
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return 0;
  let bytes = 0;
  for (const [name, part] of Object.entries(value)) if (!uncounted.has(name)) bytes += bytesOf(part);
  return bytes;
}
