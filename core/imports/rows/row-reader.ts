import type { Issue } from '#core/errors/errors.ts';
import { cut, findShapeProblem, maxNotes, toFlag, toJson, toTitle } from './cells.ts';
import { readCsvField } from '#core/csv/csv.ts';
import {
  type ColumnMeaning,
  type ProtectingColumn,
  readColumnMeaning,
  saysProtecting,
} from '#core/imports/column-meaning.ts';
import { columnName, type Columns, columnsOf, formats, type ImportFormat } from '#core/imports/formats.ts';
import { splitTags } from '#core/imports/link-columns.ts';
import { type DateOrders, readMoment } from './moments.ts';
import { noDate } from '#core/imports/protection.ts';
import { findSecondColumns } from '#core/imports/second-columns.ts';
import { addDateProblem, readPlain } from './plain-fields.ts';
import { protect } from './protect.ts';
import type { Row } from './row.ts';
import { endsLike, namesOneHost, parseShortUrl, readShortUrl, readSlug } from './short-url.ts';

/** The link that a row describes. */
export interface ImportedLink {
  /** The body of a create, unchecked, without its domain and folder. */
  body: Record<string, unknown>;
  /** Name of the domain that the link shall have, or had at the other service. */
  domain: string | undefined;
  /** Whether the link may be on no other domain. */
  needsDomain: boolean;
  folder: string | undefined;
  /** Date of creation, where the row has one. */
  createdAt: Date | undefined;
  /** The number of its domain at the other service, where the row tells neither its name nor a whole short URL. */
  domainNumber?: string;
  /** Why the row cannot become a link, in words for readers of the report. */
  problems: Issue[];
}

const nested = ['rules', 'qrCode'] as const;

/** What is known beside a row. */
interface RowContext {
  /** How the columns write day and month. */
  orders?: DateOrders | null;
  now?: Date;
}

const notUnderstood =
  'seems to protect or limit this link, and is not understood; leave the column out to import it without';
const startsLater = 'a start in the future is not imported, and without it this link would lead on at once';
const protectingMessages: Record<ColumnMeaning, string> = {
  protected: notUnderstood,
  limited: notUnderstood,
  'dated-end': notUnderstood,
  open: 'says that not everybody may follow this link; leave the column out to import it for all',
  start: startsLater,
  'dated-start': startsLater,
};

// Dumps of databases and tables of websites write them for nothing.
export const emptyMarks = /^(?:NULL|null|\\N|\[\]|[-–—]+|[Nn]\/[Aa]|0000-00-00(?:[T ]00:00:00(?:\.0+)?)?)$/;

/** @returns a function that reads a row of the file. */
export function createRowReader(
  format: ImportFormat,
  header: readonly string[],
  { orders, now = new Date() }: RowContext = {},
): (fields: readonly string[]) => ImportedLink {
  const places = new Map<string, number>();
  for (const [index, name] of header.map(columnName).entries()) if (!places.has(name)) places.set(name, index);
  const isOwn = format === 'waymark';
  const columns = columnsOf(format, header);
  const protecting = findProtecting(format, header);
  const second = findSecondColumns(format, header);
  return (fields) => {
    const find = (names: readonly string[]): { text: string; index: number } | undefined => {
      for (const name of names) {
        const index = places.get(name);
        const field = index === undefined ? '' : (fields[index] ?? '');
        const text = isOwn ? readCsvField(field) : field.trim();
        if (text !== '' && (isOwn || !emptyMarks.test(text))) return { text, index: index! };
      }
      return undefined;
    };
    const row: Row = {
      text: (...names) => find(names)?.text,
      date(names, empty = noDate) {
        const cell = find(names);
        // 0: a count of seconds that was never set.
        if (cell === undefined || cell.text === '0' || empty.test(cell.text)) return undefined;
        return { at: readMoment(cell.text, orders?.[cell.index] ?? undefined) };
      },
      hasColumn: (name) => places.has(name),
      columnOf: (name) => header[places.get(name) ?? -1] ?? name,
    };
    const link = readLink(format, columns, row, now);
    for (const one of protecting) {
      const name = columnName(one.column);
      const [text, date] = [row.text(name), row.date([name])];
      if (text !== undefined && saysProtecting(one, text, date === undefined ? null : date.at, now))
        link.problems.push({ path: one.column, message: protectingMessages[one.meaning] });
    }
    for (const index of second) {
      const field = fields[index]?.trim() ?? '';
      if (field !== '' && !emptyMarks.test(field) && field !== row.text(columnName(header[index]!)))
        link.problems.push({
          path: header[index]!,
          message: 'is the second column of this name, and says something else; leave one of them out',
        });
    }
    const shapeProblem = findShapeProblem(fields, header.length);
    if (shapeProblem !== undefined) link.problems.push({ path: '', message: shapeProblem });
    return link;
  };
}

function namesRead(format: ImportFormat): Set<string> {
  const used = new Set<string>();
  // A row of empty cells: each name is asked for.
  const add = (...names: readonly string[]): undefined => {
    for (const name of names) used.add(name);
  };
  const row: Row = { text: add, date: (names) => add(...names), hasColumn: () => false, columnOf: (name) => name };
  readLink(format, formats[format], row, new Date(0));
  return used;
}

/** The columns that no format reads, and that sound as if they protected links; of some of a name the first. */
function findProtecting(format: ImportFormat, header: readonly string[]): ProtectingColumn[] {
  const used = namesRead(format);
  return header.flatMap((column) => {
    const name = columnName(column);
    const meaning = used.has(name) ? undefined : readColumnMeaning(column);
    used.add(name);
    return meaning === undefined ? [] : { column, meaning };
  });
}

/** Finds the columns of a file that its rows are read without, as the file names them. */
export function findIgnoredColumns(format: ImportFormat, header: readonly string[]): string[] {
  const used = namesRead(format);
  for (const { column } of findProtecting(format, header)) used.add(columnName(column));
  // The second column of a name is not read.
  return header.filter((column) => column !== '' && !used.delete(columnName(column)));
}

function readLink(format: ImportFormat, columns: Columns, row: Row, now: Date): ImportedLink {
  const isAsCreate = columns.isAsCreate === true;
  const { text, columnOf } = row;
  const problems: Issue[] = [];
  const shortText = readShortUrl(text(...(columns.shortUrl ?? [])), problems);
  const short = shortText === undefined ? undefined : parseShortUrl(shortText);
  const ownText = text(...(columns.slug ?? []));
  const own = readSlug(ownText, format);
  if (format === 'csv' && ownText === text('code') && isRedirectStatus(ownText))
    problems.push({
      path: columnOf('code'),
      message: 'is a status of HTTP, and no column is read as the slug: name it "slug", and leave this one out',
    });
  const slug = own?.slug ?? short?.slug;
  const domain = text(...(columns.domain ?? []));
  const host = short?.host ?? own?.host;
  const title = text(...(columns.title ?? []));
  const notes = text(...(columns.notes ?? []));
  if (shortText !== undefined && slug === undefined)
    problems.push({ path: 'slug', message: 'the short URL names none: it is the address of the domain itself' });
  // A link of another service has a slug; another one here would be another link.
  if (!isAsCreate && shortText === undefined && slug === undefined)
    problems.push({ path: 'slug', message: 'this row names none, and the link would get another one than it had' });
  if (own?.slug !== undefined && shortText !== undefined && !endsLike(shortText, own.slug))
    problems.push({
      path: 'slug',
      message: 'the short URL of this row ends otherwise; leave one of the two columns out',
    });
  if (!namesOneHost([short?.host, own?.host, domain]))
    problems.push({
      path: 'domain',
      message: 'the columns of this row name different domains; leave all but one of them out',
    });
  if (format === 'dub' && slug === '_root')
    problems.push({ path: 'slug', message: 'this link is the one of the domain itself; set it at the domain' });
  const body: Record<string, unknown> = {
    ...readPlain(row, problems),
    ...(isAsCreate && readNested(text)),
    ...(notes !== undefined && { notes: cut(notes, maxNotes) }),
    destination: toDestination(text(...columns.destination) ?? '', isAsCreate ? text : () => undefined),
    slug,
    title: title === undefined || isAsCreate ? title : toTitle(title),
    tags: readTags(text(...(columns.tags ?? [])), problems),
  };
  // An empty cell of our own export means no QR code; undefined would take the domain's template.
  if (format === 'waymark' && row.hasColumn('qrcode')) body.qrCode ??= null;
  protect(format, row, { body, problems });
  const createdAt = row.date(columns.createdAt ?? []);
  if (createdAt !== undefined) addDateProblem('createdAt', createdAt.at, problems);
  if (createdAt?.at instanceof Date && createdAt.at.getTime() > now.getTime() + maxAheadMs)
    problems.push({ path: 'createdAt', message: 'lies in the future' });
  for (const [name, value] of Object.entries(body)) if (value === undefined) delete body[name];
  // Asked for in any case: findIgnoredColumns counts the names.
  const domainNumber = text('domainid');
  return {
    body,
    // Other services do not always store the name of the domain: the short URL holds it.
    domain: isAsCreate ? (domain ?? host) : (host ?? domain),
    needsDomain: isAsCreate && domain !== undefined,
    ...(domainNumber !== undefined && host === undefined && domain === undefined && { domainNumber }),
    folder: text(...(columns.folder ?? [])),
    createdAt: createdAt?.at instanceof Date ? createdAt.at : undefined,
    problems,
  };
}

function readTags(text: string | undefined, problems: Issue[]): string[] | undefined {
  const tags = text === undefined ? undefined : splitTags(text);
  if (text !== undefined && tags === undefined)
    problems.push({
      path: 'tags',
      message: 'is a list that cannot be read; write names with | or commas in between, or JSON like ["one","two"]',
    });
  return tags;
}

/** Plugins of websites tell by it how they redirect. */
const isRedirectStatus = (text: string | undefined): boolean => text !== undefined && /^30[12378]$/.test(text);

// Files without zones are read in UTC: their moments may lie some hours ahead.
const maxAheadMs = 86_400_000;

/** Further columns of our own exports and of files made by hand. */
function readNested(read: Row['text']): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of nested) fields[name] = toJson(read(name.toLowerCase()));
  const metaTags = { title: read('metatitle'), description: read('metadescription'), imageId: read('metaimageid') };
  if (Object.values(metaTags).some((value) => value !== undefined)) fields.metaTags = metaTags;
  return fields;
}

function toDestination(value: string, read: Row['text']): Record<string, unknown> {
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
