import type { Sql } from './database.ts';

/** Which links a list shows; an empty filter is none. */
export interface LinkListQuery {
  organizationId: string;
  domainIds: readonly string[];
  folderIds: readonly string[];
  tagIds: readonly string[];
  /** Folded; matches slug, short URL, destination and title. */
  search: string | undefined;
  limit: number;
  page: number;
}

/**
 * Finds links of an organization, newest first. Filters of one kind are OR, of two kinds AND.
 * @returns how many there are, and the ids of the page.
 */
export async function listLinks(sql: Sql, query: LinkListQuery): Promise<{ count: number; ids: string[] }> {
  const values: unknown[] = [query.organizationId];
  const conditions = ['l.organization_id = $1', 'l.deleted_at is null'];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  if (query.domainIds.length > 0) add((ids) => `l.domain_id = any(${ids}::uuid[])`, query.domainIds);
  if (query.folderIds.length > 0) add((ids) => `l.folder_id = any(${ids}::uuid[])`, query.folderIds);
  if (query.tagIds.length > 0) {
    add(
      (ids) => `exists (select from link_tags t where t.link_id = l.id and t.tag_id = any(${ids}::uuid[]))`,
      query.tagIds,
    );
  }
  if (query.search !== undefined && query.search !== '') {
    add((pattern) => `l.search_text like ${pattern}`, `%${query.search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  }
  const from = `from short_links l where ${conditions.join(' and ')}`;
  const counting = sql.query<{ count: number }>(`select count(*) as count ${from}`, values);
  const page =
    query.limit === 0
      ? []
      : (
          await sql.query<{ id: string }>(
            `select l.id ${from} order by l.created_at desc, l.id desc limit ${query.limit} offset ${query.limit * query.page}`,
            values,
          )
        ).rows;
  return { count: (await counting).rows[0]!.count, ids: page.map(({ id }) => id) };
}
