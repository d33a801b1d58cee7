import type { Issue } from '#core/errors/errors.ts';

/** What of a link counts: what clients set, and visitors' answers are made of. */
export interface LinkContent {
  readonly slug?: unknown;
  readonly title?: unknown;
  readonly externalId?: unknown;
  readonly expiredUrl?: unknown;
  readonly utmSource?: unknown;
  readonly utmMedium?: unknown;
  readonly utmCampaign?: unknown;
  readonly utmTerm?: unknown;
  readonly utmContent?: unknown;
  readonly tags?: unknown;
  readonly destination?: unknown;
  readonly rules?: unknown;
  readonly qrCode?: unknown;
  readonly metaTags?: unknown;
}

const members = [
  'slug',
  'title',
  'externalId',
  'expiredUrl',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'tags',
  'destination',
  'rules',
  'qrCode',
  'metaTags',
] as const satisfies (keyof LinkContent)[];

/** Most bytes that a link may have with everything that belongs to it (3.1). Edges keep links in memory by the thousand. */
const maxLinkBytes = 131_072;

// Told by answers alone, or of a length that says nothing.
const uncounted = new Set(['id', 'imageId', 'image', 'imageKey', 'color', 'threatTypes']);

/** Bytes of all texts of a link, in UTF-8. */
export function linkBytes(content: LinkContent): number {
  return members.reduce((sum, member) => sum + bytesOf(content[member]), 0);
}

/** What is wrong with a link that is too large, by its largest member; undefined where it is not. */
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
