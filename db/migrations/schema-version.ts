import type { Pool } from 'pg';
import { newestMigration } from '#db/migrations/newest.ts';

/** The database's schema is older than this version needs. */
export class SchemaError extends Error {}

/**
 * Refuses a schema that is older than this version needs. A newer one is accepted: migrations expand first.
 * @throws SchemaError that says to run `npm run -s waymark -- migrate`.
 */
export async function requireSchema(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ known: boolean }>(`select to_regclass('migrations') is not null as known`);
  const applied =
    rows[0]?.known === true &&
    (await pool.query('select 1 from migrations where name = $1', [newestMigration])).rowCount === 1;
  if (!applied)
    throw new SchemaError(
      `The database lacks migration ${newestMigration}: run \`npm run -s waymark -- migrate\` first.`,
    );
}
