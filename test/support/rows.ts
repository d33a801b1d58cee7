import type { Sql } from '#db/connection/database.ts';

/** Every column of any table that has one of some names. */
async function columnsOf(sql: Sql, ...names: string[]): Promise<{ table: string; column: string }[]> {
  const { rows } = await sql.query<{ table: string; column: string }>(
    `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = any($1::text[])`,
    [names],
  );
  return rows;
}

/** Where ids are still named, by columns of some names. @returns `table.column` of each. */
export async function tracesOf(sql: Sql, ids: readonly string[], ...names: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column } of await columnsOf(sql, ...names)) {
    const { rowCount } = await sql.query(`select from ${table} where ${column} = any($1::uuid[])`, [ids]);
    if (rowCount) found.push(`${table}.${column}`);
  }
  return found;
}

/** All rows that tell of an organization or of its links, by table. */
export async function rowsOf(
  sql: Sql,
  { organization, links }: { organization: { id: string }; links: readonly { id: string }[] },
): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  const linkIds = links.map(({ id }) => id);
  for (const { table, column } of await columnsOf(sql, 'organization_id', 'link_id')) {
    const { rows } = await sql.query(
      `select to_jsonb(t) as row from ${table} t where ${column} = any($1::uuid[]) order by to_jsonb(t)::text`,
      [column === 'link_id' ? linkIds : [organization.id]],
    );
    all[`${table}.${column}`] = rows;
  }
  return all;
}
