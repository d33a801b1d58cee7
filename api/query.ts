import { z } from 'zod';
import { lengths } from '#core/lengths.ts';
import { dimensions } from '#core/stats/stats.ts';
import { besideOthers, text } from '#core/lib/schemas.ts';
import { idSchema } from '#core/links/draft.ts';
import { readCursor } from './cursor.ts';

const maxIds = 1_000;
const maxTexts = 100;
const listNames = new RegExp(String.raw`(?:(?:Ids|Names|Hosts)|^(?:ids|states|groupBys|${dimensions.join('|')}))\[\]$`);

/** `true`, `false`, `1` or `0`. */
export const flagSchema = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ example: 'true' });

export function integerSchema(min: number, max: number) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** A whole number that may be left out; the description of the API shows the default, which Zod drops where a text is converted. */
export function optionalInteger(min: number, max: number, omitted: number) {
  return integerSchema(min, max).default(omitted).meta({ 'x-default': omitted });
}

/** A search term, trimmed; an empty one is as none. */
export const searchSchema = z
  .string()
  .overwrite((term) => term.trim())
  .pipe(text({ max: lengths.search }))
  .optional();

export const withCountsSchema = flagSchema
  .optional()
  .describe('true: each row has `links`, the number of links, archived ones too.');

/** Paging of lists: `limit` 0 to 50 (10), `page` from 0. With `limit` 0 a list has its count and no rows. */
export const pagingShape = {
  limit: optionalInteger(0, 50, 10),
  page: optionalInteger(0, 1_000_000_000, 0).describe('From 0.'),
};

/** The position behind which a list continues. */
export const cursorShape = {
  cursor: z
    .string()
    .max(200)
    .refine((text) => readCursor(text) !== undefined, 'must be the nextCursor of a page')
    .transform((text) => readCursor(text)!)
    .optional()
    .describe('The nextCursor of the earlier page, in place of page.'),
};

/** Refuses a cursor beside a page, in the query of a list that has both. */
export function eitherPageOrCursor<Schema extends z.ZodObject>(query: Schema): Schema {
  return query.refine(({ cursor, page }) => cursor === undefined || !(Number(page) > 0), {
    path: ['page'],
    message: 'cannot be given with cursor',
    ...besideOthers,
  });
}

/** Refuses ranges of moments that end before they begin, by the names of their ends. */
export function inOrder<Schema extends z.ZodObject>(
  query: Schema,
  ranges: readonly (readonly [string, string])[],
): Schema {
  return query.superRefine((given, context) => {
    for (const [since, until] of ranges) {
      if (toMs(given[since]) > toMs(given[until]))
        context.addIssue({ code: 'custom', path: [since], message: `must not be after ${until}` });
    }
  }, besideOthers);
}

/** A moment of a query in milliseconds; NaN, which no comparison holds for: there is none. */
const toMs = (moment: unknown): number =>
  typeof moment === 'string' || moment instanceof Date ? new Date(moment).getTime() : Number.NaN;

/** Ids, each a UUID, as a repeated key; `name[]=` and comma-separated ones are accepted too, and not described (1.6). */
export const idListSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((text) => text.split(',')))
  .pipe(z.array(idSchema).max(maxIds))
  .default([])
  .meta({ description: 'Several ids: the name repeated.', 'x-items': { type: 'string', format: 'uuid' } });

/** Texts that hold no comma, written as ids are. */
export function textListSchema<T extends string>(item: z.ZodType<T, T>) {
  return listSchema(item, (text) => text.split(',').map((part) => part.trim()));
}

/** Texts that may hold commas, byte for byte: each is a repeated key, or `name[]=`. */
export function wholeTextListSchema<T extends string>(item: z.ZodType<T, T>) {
  return listSchema(item, (text) => [text]);
}

function listSchema<T extends string>(item: z.ZodType<T, T>, divide: (text: string) => readonly string[]) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat().flatMap((text) => divide(text) as T[]))
    .pipe(z.array(item).max(maxTexts))
    .default([])
    .meta({ 'x-items': z.toJSONSchema(item, { io: 'input', target: 'openapi-3.0' }) });
}

/** A moment as clients send it, with any offset from UTC. */
export const momentQuerySchema = z.iso.datetime({ offset: true }).transform((moment) => new Date(moment));

export const momentsShape = {
  since: momentQuerySchema.optional().describe('From this moment.'),
  until: momentQuerySchema.optional().describe('Before this moment.'),
};

/** Filters that lists and statistics share. */
export const filterShape = {
  domainIds: idListSchema,
  folderIds: idListSchema,
  tagIds: idListSchema,
};

/** Joins `nameIds[]` with `nameIds`, and other lists likewise, before a query is checked, so that each filter may be written either way (1.6). */
export function joinBrackets(query: Record<string, unknown>): Record<string, unknown> {
  const joined = new Map<string, unknown>();
  for (const [key, value] of Object.entries(query)) {
    const name = listNames.test(key) ? key.slice(0, -2) : key;
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : [before, value].flat());
  }
  // `fromEntries` makes `__proto__` an own member, so that it is refused like any unknown name.
  return Object.fromEntries(joined);
}

export const labelListQuerySchema = eitherPageOrCursor(
  z.strictObject({
    search: searchSchema.describe('Matches the name, without regard to case.'),
    withCounts: withCountsSchema,
    ...pagingShape,
    ...cursorShape,
  }),
);
