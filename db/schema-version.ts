import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** The database's schema is older than this version needs. */
export class SchemaError extends Error {}

const migrationEntry = /name: '([^']+)'/g;

/**
 * Refuses a schema that is older than this version needs (12.1). A newer one is accepted: migrations expand first.
 * @throws SchemaError that says to run `npm run -s waymark -- migrate`.
 */
export async function requireSchema(pool: Pool): Promise<void> {
  const needed = newestMigration();
  const { rows } = await pool.query<{ known: boolean }>(`select to_regclass('migrations') is not null as known`);
  const applied =
    rows[0]?.known === true && (await pool.query('select 1 from migrations where name = $1', [needed])).rowCount === 1;
  if (!applied)
    throw new SchemaError(`The database lacks migration ${needed}: run \`npm run -s waymark -- migrate\` first.`);
}

/** Name of the last migration, by the text of their list: to import it would load an ORM that the edge does without. */
export function newestMigration(): string {
  const list = readFileSync(new URL('migrations/index.ts', import.meta.url), 'utf8');
  return [...list.matchAll(migrationEntry)].at(-1)![1]!;
}
