import { uuidv7 } from '#core/lib/uuid.ts';
import type { Sql } from '#db/connection/database.ts';

/**
 * Inserts the platform domain where it is missing. Earlier platform domains stay: links that were printed with them go on
 * working.
 */
// By hand: a process that serves the edge alone runs it too, and loads no ORM (test/edge/imports.test.ts).
export async function ensurePlatformDomain(sql: Sql, host: string): Promise<void> {
  await sql.query(
    `insert into domains (id, organization_id, domain, is_verified, txt_record)
     values ($1, null, $2, true, '') on conflict do nothing`,
    [uuidv7(), host],
  );
}
