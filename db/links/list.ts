import { sql, type SqlBool } from 'kysely';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { containing, type Position } from '#db/connection/paging.ts';

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

/** A link of the list, and its position in it. */
export interface ListedLink {
  id: string;
  createdAt: Date;
}

/** A page, and the number of all links that match. */
interface LinkPage {
  count: number;
  ids: string[];
}

/** The position of a link in the list. */
export function positionOf({ createdAt, id }: ListedLink): Position {
  return { atMs: createdAt.getTime(), id };
}

/**
 * Finds links of an organization, newest first. Filters of one kind are OR, of two kinds AND.
 * @returns the number of matches, and the ids of the page.
 */
export async function listLinks(
  em: EntityManager,
  { search = '', limit, page, ...filters }: LinkListQuery,
): Promise<LinkPage> {
  const isFiltered = [filters.domainIds, filters.folderIds, filters.tagIds].some(({ length }) => length > 0);
  if (search === '' && !isFiltered) return listAll(em, { ...filters, limit, page });
  const found = search === '' ? undefined : await searchFew(em, filters, search, { limit, page });
  if (found !== undefined) return found;
  const links = linksOf(em, { ...filters, search });
  const [count, rows] = await Promise.all([
    links.select(countOfRows).executeTakeFirstOrThrow(),
    limit === 0
      ? []
      : links
          .select('l.id')
          .orderBy('l.createdAt', 'desc')
          .orderBy('l.id', 'desc')
          .limit(limit)
          .offset(limit * page)
          .execute(),
  ]);
  return { count: count.count, ids: rows.map(({ id }) => id) };
}

/** As `listLinks`, continuing after a link of an earlier page: links that are made meanwhile move nothing. */
export async function continueLinks(
  em: EntityManager,
  { limit, ...filters }: LinkFilters & { limit: number },
  after: Position,
): Promise<LinkPage & { isLast: boolean }> {
  const [{ count }, listed] = await Promise.all([
    listLinks(em, { ...filters, limit: 0, page: 0 }),
    listLinksAfter(em, { ...filters, limit: limit + 1 }, after),
  ]);
  return { count, ids: listed.slice(0, limit).map(({ id }) => id), isLast: listed.length <= limit };
}

/** Finds the next links of an organization, newest first. @param after the position of the last link of the page before. */
export function listLinksAfter(
  em: EntityManager,
  { limit, ...filters }: LinkFilters & { limit: number },
  after?: Position,
): Promise<ListedLink[]> {
  const links = linksOf(em, filters)
    .select(['l.id', 'l.createdAt'])
    .orderBy('l.createdAt', 'desc')
    .orderBy('l.id', 'desc')
    .limit(limit);
  if (after === undefined) return links.execute();
  return links
    .where(({ eb, refTuple, tuple }) => eb(refTuple('l.createdAt', 'l.id'), '<', tuple(new Date(after.atMs), after.id)))
    .execute();
}

const countOfRows = sql<number>`count(*)`.as('count');

/** The links that match the filters. */
function linksOf(em: EntityManager, { organizationId, domainIds, folderIds, tagIds, search = '' }: LinkFilters) {
  let links = em.kysely
    .selectFrom('ShortLink as l')
    .where('l.organization', '=', organizationId)
    .where('l.deletedAt', 'is', null);
  if (domainIds.length > 0) links = links.where('l.domain', 'in', domainIds);
  if (folderIds.length > 0) {
    // Links of a deleted folder that are not moved yet are shown in the default one. As an array, so that the plan reads the
    // folders first.
    links = links.where(
      sql<SqlBool>`l.folder_id = any(array(
        select f.id from folders f where f.organization_id = ${organizationId} and case when f.deleted_at is null
          then f.id = any(${folderIds}::uuid[])
          else exists (select from folders d where d.organization_id = f.organization_id and d.is_default
            and d.deleted_at is null and d.id = any(${folderIds}::uuid[])) end))`,
    );
  }
  if (tagIds.length > 0) {
    links = links.where(({ exists, selectFrom }) =>
      exists(selectFrom('LinkTag as t').select('t.tag').whereRef('t.link', '=', 'l.id').where('t.tag', 'in', tagIds)),
    );
  }
  return search === '' ? links : links.where('l.searchText', 'like', containing(search));
}

// Beyond it, counting in parallel and walking by date are quicker than gathering all matches.
const fewLinks = 5_000;

/**
 * Searches once for both the count and the page: the trigram index is slow at each use (bench row L1).
 * @returns undefined where more than `fewLinks` match.
 */
async function searchFew(
  em: EntityManager,
  filters: Omit<LinkFilters, 'search'>,
  search: string,
  { limit, page }: { limit: number; page: number },
): Promise<LinkPage | undefined> {
  const parts = partsOf(search);
  let links = linksOf(em, { ...filters, search: undefined });
  // Of a long term the index is asked for the parts alone.
  if (parts.length === 0) links = links.where('l.searchText', 'like', containing(search));
  else links = links.where(sql<SqlBool>`l.search_text || '' like ${containing(search)}`);
  for (const part of parts) links = links.where('l.searchText', 'like', containing(part));
  const found = links.select(['l.id', 'l.createdAt']).limit(fewLinks + 1);
  const { rows } = await sql<LinkPage>`
    with found as materialized (${found})
    select (select count(*) from found) as count,
      array(select id from found order by created_at desc, id desc limit ${limit} offset ${limit * page}) as ids`.execute(
    em.kysely,
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

/** A page of all links. Their number is added up from the counts that triggers keep: counting a million rows takes 0.1 s. */
// By hand: the list without filters is the one that pages and integrations read most, and a named statement is prepared once
// (bench rows L1, `calls`: by Kysely in two statements it took 1.3 times as long).
async function listAll(
  sql: Sql,
  { organizationId, limit, page }: Pick<LinkListQuery, 'organizationId' | 'limit' | 'page'>,
): Promise<LinkPage> {
  const { rows } = await sql.query<LinkPage>({
    name: 'list-links',
    text: `
      select (select coalesce(sum(links), 0)::bigint from link_totals where organization_id = $1) as count,
        array(select id from short_links where organization_id = $1 and deleted_at is null
          order by created_at desc, id desc limit $2 offset $3) as ids`,
    values: [organizationId, limit, limit * page],
  });
  return rows[0]!;
}
