import { sql, type SqlBool } from 'kysely';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { Reach } from '#core/organizations/reach.ts';
import { lastMs } from '#core/stats/stats.ts';
import type { Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { containing, type Position } from '#db/connection/lists/paging.ts';
import { conditionsOfReach, isInFolders } from './reach.ts';

/** The state of a link, the first of these that applies: archived, not active, past its end, out of clicks; else `active`. */
export const linkStates = ['archived', 'inactive', 'expired', 'capped', 'active'] as const;

type LinkState = (typeof linkStates)[number];

/** What lists of links are sorted by. Links without clicks count as clicked first, links without an end as ending last. */
export const linkSorts = ['createdAt', 'updatedAt', 'currentClicks', 'lastClickedAt', 'expiresAt'] as const;

/** An order of links; links of equal value are in the order of their ids. */
interface LinkOrder {
  sortBy: (typeof linkSorts)[number];
  sortOrder: 'asc' | 'desc';
}

export type LinkMoment = 'createdAt' | 'updatedAt' | 'expiresAt' | 'lastClickedAt';

/** Moments from `since` on, and before `until`. */
export interface MomentRange {
  since?: Date | undefined;
  until?: Date | undefined;
}

/** Filters of links; an empty filter applies to none. */
export interface LinkFilters {
  organizationId: string;
  /** The reach of the key that asks; undefined: the whole organization. */
  reach?: Reach | undefined;
  domainIds?: readonly string[];
  folderIds?: readonly string[];
  tagIds?: readonly string[];
  /** Folded; matches slug, short URL, destination and title. */
  search?: string | undefined;
  /** Another spelling of `search` that matches too. */
  encodedSearch?: string | undefined;
  /** As domains store them. */
  domainNames?: readonly string[];
  /** Folded. */
  tagNames?: readonly string[];
  externalIds?: readonly string[];
  ids?: readonly string[];
  /** In lower case; of the link's own destination, not of its rules. */
  destinationHosts?: readonly string[];
  /** Archived links: alone, or among the others; undefined: left out. */
  archived?: 'only' | 'any' | undefined;
  states?: { among: readonly LinkState[]; now: Date };
  ranges?: Partial<Record<LinkMoment, MomentRange>>;
}

export interface LinkListQuery extends LinkFilters {
  limit: number;
  page: number;
}

interface ListedLink {
  id: string;
  createdAt: Date;
}

/** A page, and the number of all links that match. */
interface LinkPage {
  count: number;
  ids: string[];
}

export function positionOf({ createdAt, id }: ListedLink): Position {
  return { atMs: createdAt.getTime(), id };
}

// The number that a position holds of each value, and the value that it stands for.
const moments = { toNumber: (key: string) => `(extract(epoch from ${key}) * 1000)::bigint`, type: 'timestamptz' };
const counts = { toNumber: (key: string) => key, type: 'bigint' };
const sortKeys: Record<LinkOrder['sortBy'], { key: string } & typeof moments> = {
  createdAt: { key: 'l.created_at', ...moments },
  updatedAt: { key: 'l.updated_at', ...moments },
  expiresAt: { key: `coalesce(l.expires_at, '${new Date(lastMs).toISOString()}'::timestamptz)`, ...moments },
  lastClickedAt: { key: `coalesce(n.last_clicked_at, 'epoch'::timestamptz)`, ...moments },
  currentClicks: { key: 'coalesce(n.clicks, 0)', ...counts },
};

/**
 * Finds links of an organization. Filters of one kind are OR, of two kinds AND. An order by another value than `createdAt` compares
 * every link that matches: no index has the counters of clicks, and an index of the others would slow every create.
 * @param after the position of the last link of the page before, in place of `page`.
 * @returns also the position of the page's last link; undefined: by its `createdAt`.
 */
export async function listLinks(
  em: EntityManager,
  { limit, page, ...filters }: LinkListQuery,
  { sortBy, sortOrder }: LinkOrder = { sortBy: 'createdAt', sortOrder: 'desc' },
  after?: Position,
): Promise<LinkPage & { isLast: boolean; last?: Position | undefined }> {
  const isQuick = sortBy === 'createdAt' && sortOrder === 'desc' && after === undefined;
  const found = isQuick ? await listQuickly(em, { ...filters, limit, page }) : undefined;
  if (found !== undefined) return { ...found, isLast: limit * page + found.ids.length >= found.count };
  const { key, toNumber, type } = sortKeys[sortBy];
  let links = linksOf(em, filters)
    .select(['l.id', sql<number>`${sql.raw(toNumber(key))}`.as('atMs')])
    .orderBy(sql.raw(key), sortOrder)
    .orderBy('l.id', sortOrder)
    .limit(limit + 1)
    .offset(limit * page);
  if (after !== undefined) {
    const value = type === 'bigint' ? after.atMs : new Date(after.atMs);
    const beyond = sql.raw(sortOrder === 'asc' ? '>' : '<');
    links = links.where(
      sql<SqlBool>`(${sql.raw(key)}, l.id) ${beyond} (${value}::${sql.raw(type)}, ${after.id}::uuid)`,
    );
  }
  const [count, rows] = await Promise.all([
    isQuick ? countEach(em, filters) : countLinks(em, filters),
    limit === 0 ? [] : links.execute(),
  ]);
  const shown = rows.slice(0, limit);
  return { count, ids: shown.map(({ id }) => id), isLast: rows.length <= limit, last: shown.at(-1) };
}

export async function countLinks(em: EntityManager, filters: LinkFilters): Promise<number> {
  return (await listQuickly(em, { ...filters, limit: 0, page: 0 }))?.count ?? countEach(em, filters);
}

async function countEach(em: EntityManager, filters: LinkFilters): Promise<number> {
  return (await linksOf(em, filters).select(countOfRows).executeTakeFirstOrThrow()).count;
}

/**
 * Reads a page of links, newest first, together with their count by one statement.
 * @returns undefined where no such statement serves: for filters without a search, a search for two spellings, and one that more than
 *   `fewLinks` match.
 */
async function listQuickly(
  em: EntityManager,
  { search = '', encodedSearch, limit, page, ...filters }: LinkListQuery,
): Promise<LinkPage | undefined> {
  if (search !== '') return encodedSearch === undefined ? searchFew(em, filters, search, { limit, page }) : undefined;
  return isFiltered(filters) ? undefined : listAll(em, { ...filters, limit, page });
}

function isFiltered({ archived, reach, states, ranges = {}, ...lists }: Omit<LinkFilters, 'search'>): boolean {
  if (archived !== undefined || reach !== undefined) return true;
  const bounds = Object.values(ranges).flatMap(({ since, until }) => [since, until]);
  const isAny = [...Object.values(lists), states?.among].some((list) => Array.isArray(list) && list.length > 0);
  return isAny || bounds.some((bound) => bound !== undefined);
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

/** The state of a link of `linksOf`. */
const stateAt = (now: Date) =>
  sql<LinkState>`case when l.is_archived then 'archived' when not l.is_active then 'inactive' when l.expires_at <= ${now} then 'expired'
    when l.max_clicks <= coalesce(greatest(c.granted, n.clicks), 0) then 'capped' else 'active' end`;

/** Counts the links that match the filters by their state. @returns every state, in the order of `linkStates`. */
export async function countByState(
  em: EntityManager,
  filters: LinkFilters,
  now: Date,
): Promise<{ state: LinkState; count: number }[]> {
  const rows = await linksOf(em, filters)
    .select([stateAt(now).as('state'), countOfRows])
    .groupBy('state')
    .execute();
  return linkStates.map((state) => ({ state, count: rows.find((row) => row.state === state)?.count ?? 0 }));
}

/** The links that match the filters. */
function linksOf(em: EntityManager, { search = '', ...filters }: LinkFilters) {
  const {
    organizationId,
    domainIds = [],
    folderIds = [],
    tagIds = [],
    domainNames = [],
    tagNames = [],
    externalIds = [],
    ids = [],
  } = filters;
  // The planner leaves out a joined table that a statement does not use.
  let links = em.kysely
    .selectFrom('ShortLink as l')
    .leftJoin('LinkCounter as n', 'n.linkId', 'l.id')
    .leftJoin('LinkCap as c', 'c.linkId', 'l.id')
    .where('l.organization', '=', organizationId)
    .where('l.deletedAt', 'is', null);
  if (filters.archived !== 'any') links = links.where('l.isArchived', '=', filters.archived === 'only');
  if (domainIds.length > 0) links = links.where('l.domain', 'in', domainIds);
  if (folderIds.length > 0) links = links.where(isInFolders(organizationId, folderIds));
  for (const condition of conditionsOfReach(organizationId, filters.reach)) links = links.where(condition);
  if (tagIds.length > 0) {
    links = links.where(({ exists, selectFrom }) =>
      exists(selectFrom('LinkTag as t').select('t.tag').whereRef('t.link', '=', 'l.id').where('t.tag', 'in', tagIds)),
    );
  }
  if (ids.length > 0) links = links.where('l.id', 'in', ids);
  if (externalIds.length > 0) links = links.where('l.externalId', 'in', externalIds);
  if (domainNames.length > 0) {
    links = links.where(({ eb, selectFrom }) => {
      const named = selectFrom('Domain as d').select('d.id').where('d.deletedAt', 'is', null);
      return eb('l.domain', 'in', named.where('d.domain', 'in', domainNames));
    });
  }
  if (tagNames.length > 0) {
    links = links.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('LinkTag as t')
          .innerJoin('Tag as named', 'named.id', 't.tag')
          .select('t.tag')
          .whereRef('t.link', '=', 'l.id')
          .where('named.deletedAt', 'is', null)
          .where('named.nameKey', 'in', tagNames),
      ),
    );
  }
  for (const condition of conditionsOf(filters)) links = links.where(condition);
  if (search === '') return links;
  const { encodedSearch } = filters;
  if (encodedSearch === undefined) return links.where('l.searchText', 'like', containing(search));
  return links.where(sql<SqlBool>`l.search_text like any(${[search, encodedSearch].map(containing)}::text[])`);
}

const momentColumns: Record<LinkMoment, string> = {
  createdAt: 'l.created_at',
  updatedAt: 'l.updated_at',
  expiresAt: 'l.expires_at',
  lastClickedAt: 'n.last_clicked_at',
};

// From the scheme and an optional user on, up to a port, path, query or fragment; an IPv6 address with its brackets.
const hostOfValue = String.raw`lower(substring(s.value from '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:]+)'))`;

/** Conditions of filters that compare expressions. */
function conditionsOf({ states, ranges = {}, destinationHosts = [] }: Omit<LinkFilters, 'search'>) {
  const conditions: ReturnType<typeof sql<SqlBool>>[] = [];
  for (const [name, { since, until }] of Object.entries(ranges)) {
    const column = sql.raw(momentColumns[name as LinkMoment]);
    if (since !== undefined) conditions.push(sql`${column} >= ${since}`);
    if (until !== undefined) conditions.push(sql`${column} < ${until}`);
  }
  if (destinationHosts.length > 0) {
    // The first condition is one of the index of searches.
    const terms = destinationHosts.map((host) => containing(foldCase(host)));
    conditions.push(sql`l.search_text like any(${terms}::text[])`);
    conditions.push(sql`exists (select from destinations s where s.link_id = l.id and s.rule_id is null
      and s.type = 'link' and ${sql.raw(hostOfValue)} = any(${destinationHosts}::text[]))`);
  }
  if (states !== undefined && states.among.length > 0) {
    conditions.push(sql`${stateAt(states.now)} = any(${states.among}::text[])`);
  }
  return conditions;
}

// Beyond it, counting in parallel and walking by date are quicker than gathering all matches.
const fewLinks = 5_000;

/**
 * Searches once for both the count and the page: the trigram index is slow at each use (bench row L1).
 * @returns undefined where more than `fewLinks` match.
 */
// By hand around the query: Kysely writes the same statement in 0.3 ms more of processor time (bench row L1).
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
// (bench row L1: by Kysely in two statements it took 1.3 times as long).
async function listAll(
  sql: Sql,
  { organizationId, limit, page }: Pick<LinkListQuery, 'organizationId' | 'limit' | 'page'>,
): Promise<LinkPage> {
  const { rows } = await sql.query<LinkPage>({
    name: 'list-links',
    text: `
      select (select coalesce(sum(links), 0)::bigint from link_totals where organization_id = $1)
          - (select count(*) from short_links where organization_id = $1 and is_archived and deleted_at is null) as count,
        array(select id from short_links where organization_id = $1 and deleted_at is null and not is_archived
          order by created_at desc, id desc limit $2 offset $3) as ids`,
    values: [organizationId, limit, limit * page],
  });
  return rows[0]!;
}
