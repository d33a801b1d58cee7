import { sql } from 'kysely';

/**
 * Kysely: the present name of the key of a row, else of its user.
 * @param row an alias. @param isNamed SQL: whether the user is named.
 */
export function callerName(row: string, isNamed: string) {
  const [key, user, condition] = [`${row}.key_id`, `${row}.user_id`, isNamed].map((text) => sql.raw(text));
  return sql<
    string | null
  >`coalesce((select name from api_keys where id = ${key}), (select name from users where id = ${user} and ${condition}))`;
}
