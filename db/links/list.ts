import type { Sql } from '#db/connection/database.ts';

/** Filters of links; an empty filter applies to none. */
export interface LinkFilters {
  organizationId: string;
  domainIds: readonly string[];
  folderIds: readonly string[];
  tagIds: readonly string[];
  /** Folded; matches slug, short URL, destination and title. */
  search: string | undefined;
}

export interface LinkListQuery extends LinkFilters {
  limit: number;
  page: number;
}

/** Position in the list of links, newest first. */
export interface LinkPosition {
  createdAt: Date;
  id: string;
}

/**
 * SQL: the folders whose links are shown in some of `$1`'s folders: links of a deleted folder that are not moved yet are shown
 * in the default one.
 */
const foldersShownAs = (ids: string): string => `
  select f.id from folders f where f.organization_id = $1 and case when f.deleted_at is null then f.id = any(${ids}::uuid[])
    else exists (select from folders d where d.organization_id = $1 and d.is_default and d.deleted_at is null
      and d.id = any(${ids}::uuid[])) end`;

/** A page, and the number of all links that match. */
interface LinkPage {
  count: number;
  ids: string[];
}

/**
 * Finds links of an organization, newest first. Filters of one kind are OR, of two kinds AND.
 * @returns the number of matches, and the ids of the page.
 */
export async function listLinks(sql: Sql, query: LinkListQuery): Promise<LinkPage> {
  const { organizationId, limit, page } = query;
  const { values, conditions, add } = conditionsOf(query);
  const isFiltered = conditions.length > 2;
  const isSearch = query.search !== undefined && query.search !== '';
  const range = `order by l.created_at desc, l.id desc limit ${limit} offset ${limit * page}`;
  const found = isSearch ? await searchFew(sql, conditions, values, query.search!, range) : undefined;
  if (isSearch) add((pattern) => `l.search_text like ${pattern}`, containing(query.search!));
  const from = `from short_links l where ${conditions.join(' and ')}`;
  if (found !== undefined) return found;
  const [count, ids] = await Promise.all([
    isFiltered || isSearch ? countRows(sql, from, values) : countAll(sql, organizationId),
    limit === 0 ? [] : readIds(sql, `select l.id ${from} ${range}`, values),
  ]);
  return { count, ids };
}

/** Finds the next links of an organization, newest first. @param after the last link of the page before. */
export async function listLinksAfter(
  sql: Sql,
  query: LinkFilters & { limit: number },
  after?: LinkPosition,
): Promise<LinkPosition[]> {
  const { values, conditions, add } = conditionsOf(query);
  if (query.search) add((pattern) => `l.search_text like ${pattern}`, containing(query.search));
  if (after !== undefined) {
    const id = `$${values.push(after.id)}::uuid`;
    add((time) => `(l.created_at, l.id) < (${time}::timestamptz, ${id})`, after.createdAt);
  }
  const where = conditions.join(' and ');
  const { rows } = await sql.query<LinkPosition>(
    `select l.id, l.created_at as "createdAt" from short_links l where ${where}
     order by l.created_at desc, l.id desc limit ${query.limit}`,
    values,
  );
  return rows;
}

/** The SQL of all filters but the search; `add` adds a parameter. */
function conditionsOf({ organizationId, domainIds, folderIds, tagIds }: LinkFilters): {
  values: unknown[];
  conditions: string[];
  add(condition: (parameter: string) => string, value: unknown): void;
} {
  const values: unknown[] = [organizationId];
  const conditions = ['l.organization_id = $1', 'l.deleted_at is null'];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  if (domainIds.length > 0) add((ids) => `l.domain_id = any(${ids}::uuid[])`, domainIds);
  if (folderIds.length > 0) add((ids) => `l.folder_id = any(array(${foldersShownAs(ids)}))`, folderIds);
  if (tagIds.length > 0)
    add((ids) => `exists (select from link_tags t where t.link_id = l.id and t.tag_id = any(${ids}::uuid[]))`, tagIds);
  return { values, conditions, add };
}

// Beyond it, counting in parallel and walking by date are quicker than gathering all matches.
const fewLinks = 5_000;

/**
 * Searches once for both the count and the page: the trigram index is slow at each use.
 * @returns undefined where more than `fewLinks` match.
 */
async function searchFew(
  sql: Sql,
  conditions: readonly string[],
  values: readonly unknown[],
  search: string,
  range: string,
): Promise<LinkPage | undefined> {
  const patterns = [search, ...partsOf(search)].map(containing);
  const [whole, ...parts] = patterns.map((_, index) => `$${values.length + index + 1}`);
  const matching =
    parts.length === 0
      ? [`l.search_text like ${whole}`]
      : // The index is asked for the parts alone.
        [`l.search_text || '' like ${whole}`, ...parts.map((part) => `l.search_text like ${part}`)];
  const { rows } = await sql.query<LinkPage>(
    `with found as materialized (
       select l.id, l.created_at from short_links l where ${[...conditions, ...matching].join(' and ')} limit ${fewLinks + 1})
     select (select count(*) from found) as count, array(select l.id from found l ${range}) as ids`,
    [...values, ...patterns],
  );
  return rows[0]!.count > fewLinks ? undefined : rows[0]!;
}

// The index holds trigrams, and looks up each one of a term. Every other one of a long term, and some of a very long one, are
// nearly as selective in half the time.
const partLength = 3;
const longLength = 8;
const mostParts = 16;

function partsOf(search: string): string[] {
  const characters = Array.from(search);
  const last = characters.length - partLength;
  if (characters.length < longLength) return [];
  const step = Math.max(2, Math.ceil(last / (mostParts - 1)));
  const starts = Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step);
  return [...starts, last].map((at) => characters.slice(at, at + partLength).join(''));
}

/** A LIKE pattern of texts that contain `text`. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

async function countRows(sql: Sql, from: string, values: unknown[]): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(`select count(*) as count ${from}`, values);
  return rows[0]!.count;
}

/** Adds up the counts that triggers keep: counting a million rows takes a tenth of a second. */
async function countAll(sql: Sql, organizationId: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>({
    name: 'count-links',
    text: 'select coalesce(sum(links), 0)::bigint as count from link_totals where organization_id = $1',
    values: [organizationId],
  });
  return rows[0]!.count;
}

async function readIds(sql: Sql, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(text, values);
  return rows.map(({ id }) => id);
}
