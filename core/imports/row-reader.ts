import { plainFields, plainNames } from '#core/links/fields.ts';
import { columnName, formats, type ImportFormat } from './formats.ts';
import { splitTags } from './link-columns.ts';
import { readCsvField } from './csv.ts';
import { isObject } from '#core/lib/is-object.ts';

/** The link that a row describes. */
export interface ImportedLink {
  /** The body of a create, unchecked, without its domain and folder. */
  body: Record<string, unknown>;
  /** Name of the domain that the link shall have, or had at the other service. */
  domain: string | undefined;
  /** Whether the link may be on no other domain. */
  needsDomain: boolean;
  /** Name of its folder. */
  folder: string | undefined;
  /** Date of creation, where the row has one. */
  createdAt: Date | undefined;
  /** Why the row cannot become a link, in words for readers of the report. */
  problem?: string;
}

const nested = ['rules', 'qrCode'] as const;

/** Reads a row by the names of its columns. */
type ReadField = (...names: readonly string[]) => string | undefined;

/** @returns a function that reads a row of the file. */
export function createRowReader(
  format: ImportFormat,
  header: readonly string[],
): (fields: readonly string[]) => ImportedLink {
  const places = new Map<string, number>();
  for (const [index, name] of header.map(columnName).entries()) if (!places.has(name)) places.set(name, index);
  const isOwn = format === 'waymark';
  return (fields) => {
    const read: ReadField = (...names) => {
      for (const name of names) {
        const index = places.get(name);
        const field = index === undefined ? '' : (fields[index] ?? '');
        const text = isOwn ? readCsvField(field) : field.trim();
        if (text !== '') return text;
      }
      return undefined;
    };
    return readLink(format, read, (name) => places.has(name));
  };
}

/** Finds the columns of a file that its rows are read without, as the file names them. */
export function findIgnoredColumns(format: ImportFormat, header: readonly string[]): string[] {
  const used = new Set<string>();
  // A row of empty cells: each name is asked for.
  const read: ReadField = (...names) => {
    for (const name of names) used.add(name);
    return undefined;
  };
  readLink(format, read, () => false);
  // The second column of a name is not read.
  return header.filter((column) => column !== '' && !used.delete(columnName(column)));
}

function readLink(format: ImportFormat, read: ReadField, hasColumn: (name: string) => boolean): ImportedLink {
  const columns = formats[format];
  const isOwn = format === 'waymark';
  const isStrict = columns.plainFields === 'strict';
  const short = parseShortUrl(read(...(columns.shortUrl ?? [])));
  const domain = read(...(columns.domain ?? []));
  const title = read(...(columns.title ?? []));
  const notes = read(...(columns.notes ?? []));
  const tags = read(...(columns.tags ?? []));
  const body: Record<string, unknown> = {
    ...(columns.plainFields && readPlain(read, columns.plainFields)),
    ...(isStrict && readNested(read)),
    ...(format === 'bitly' && read('status')?.toLowerCase() === 'deleted' && { isActive: false }),
    ...(notes !== undefined && { notes: cut(notes, maxNotes) }),
    destination: toDestination(read(...columns.destination) ?? '', isStrict ? read : () => undefined),
    slug: read(...(columns.slug ?? [])) ?? short?.slug,
    title: title === undefined || isStrict ? title : toTitle(title),
    tags: tags === undefined ? undefined : splitTags(tags),
  };
  // An empty cell of our own export means no QR code; undefined would take the domain's template.
  if (isOwn && hasColumn('qrcode')) body.qrCode ??= null;
  for (const [name, value] of Object.entries(body)) if (value === undefined) delete body[name];
  return {
    body,
    // Other services do not always store the name of the domain: the short URL holds it.
    domain: isStrict ? (domain ?? short?.host) : (short?.host ?? domain),
    needsDomain: isStrict && domain !== undefined,
    folder: read(...(columns.folder ?? [])),
    createdAt: toMoment(read(...(columns.createdAt ?? []))),
    ...(hasPassword(read)
      ? { problem: 'password: is not imported, and without it this link would stand open; make it anew' }
      : {}),
  };
}

/** Whether a row has a password: a flag says so, or the password itself is there. */
function hasPassword(read: ReadField): boolean {
  return ['haspassword', 'password'].some((name) => (toFlag(read(name)) ?? false) !== false);
}

// The schema of a create checks what they return.
const readers = {
  text: (text: string | undefined): unknown => text,
  moment: (text: string | undefined): unknown => text,
  flag: toFlag,
  count: toCount,
} as const;

/** Columns that are named like plain fields of a link. */
function readPlain(read: ReadField, how: 'strict' | 'lenient'): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of plainNames) {
    const text = read(name.toLowerCase());
    const { kind } = plainFields[name];
    const moment = kind === 'moment' && how === 'lenient' ? toMoment(text) : undefined;
    fields[name] = moment?.toISOString() ?? readers[kind](text);
  }
  return fields;
}

/** Further columns of our own exports and of files made by hand. */
function readNested(read: ReadField): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of nested) fields[name] = toJson(read(name.toLowerCase()));
  const metaTags = { title: read('metatitle'), description: read('metadescription'), imageId: read('metaimageid') };
  if (Object.values(metaTags).some((value) => value !== undefined)) fields.metaTags = metaTags;
  return fields;
}

function toDestination(value: string, read: ReadField): Record<string, unknown> {
  const enableDeepLinking = toFlag(read('enabledeeplinking'));
  const [iosDeepLink, androidDeepLink] = [read('iosdeeplink'), read('androiddeeplink')];
  return {
    type: read('destinationtype') ?? 'link',
    value,
    ...(enableDeepLinking === undefined ? {} : { enableDeepLinking }),
    ...(iosDeepLink === undefined ? {} : { iosDeepLink }),
    ...(androidDeepLink === undefined ? {} : { androidDeepLink }),
  };
}

/** A text that is no flag stays as it is: the schema refuses it by its field's name. */
function toFlag(text: string | undefined): boolean | string | undefined {
  const known: Record<string, boolean> = { true: true, false: false, 1: true, 0: false, yes: true, no: false };
  return text === undefined ? undefined : (known[text.toLowerCase()] ?? text);
}

/** A text that is no count stays as it is: the schema refuses it by its field's name. */
function toCount(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function toJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

const maxTitle = 255;
const maxNotes = 2_000;

/** Other services store the titles of pages, of any content and length. */
function toTitle(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return cut(line, maxTitle);
}

/** The first characters of a text, without those that no text of a link may have. */
function cut(text: string, max: number): string {
  // A character has at most two UTF-16 units.
  const start = text
    .toWellFormed()
    .replaceAll('\u0000', '')
    .slice(0, 2 * max);
  return Array.from(start).slice(0, max).join('');
}

/** Divides a short URL of another service, with or without its scheme; its path is the slug. */
function parseShortUrl(text: string | undefined): { host: string; slug: string | undefined } | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null) return undefined;
  const path = url.pathname.slice(1).replace(/\/$/, '');
  let slug = path;
  try {
    slug = decodeURIComponent(path);
  } catch {
    // Not percent-encoding: the slug stays as it is, and the schema refuses it by its field's name.
  }
  return { host: url.hostname, slug: slug === '' ? undefined : slug };
}

const moment = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** Reads a date as such files write it, in UTC where it has no zone; undefined: unreadable, or before 1970. */
function toMoment(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (/^\d{9,10}$/.test(text)) return new Date(Number(text) * 1_000);
  if (/^\d{13}$/.test(text)) return new Date(Number(text));
  const [, date, time = '00:00', zone = 'Z'] = moment.exec(text) ?? [];
  if (date === undefined) return undefined;
  const offset = /^(?:z|utc)$/i.test(zone) ? 'Z' : zone.replace(/^(.\d{2}):?/, '$1:');
  const parsed = new Date(`${date}T${time}${offset}`);
  return parsed.getTime() >= 0 ? parsed : undefined;
}
