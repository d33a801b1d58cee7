import type { Sql } from '#db/connection/database.ts';

/** The store that the API answers from, and edges fill. */
type CurrentStore = 'postgresql' | 'clickhouse';

const row = 'click-store';

/** Notes the store for commands of the operator, whose environment may lack CLICKHOUSE_URL. */
export async function noteCurrentStore(sql: Sql, store: CurrentStore): Promise<void> {
  await sql.query(
    `insert into installation (key, value) values ($1, to_jsonb($2::text))
     on conflict (key) do update set value = excluded.value, updated_at = now() where installation.value <> excluded.value`,
    [row, store],
  );
}

/** Reads the store that the API noted at its last start; undefined before the first one. */
export async function readCurrentStore(sql: Sql): Promise<CurrentStore | undefined> {
  const { rows } = await sql.query<{ store: CurrentStore }>(
    `select value #>> '{}' as store from installation where key = $1`,
    [row],
  );
  return rows[0]?.store;
}
