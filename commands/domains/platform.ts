import { v7 as uuidv7 } from 'uuid';
import type { Sql } from '#db/connection/database.ts';

/** Makes sure that the platform domain is there. Earlier ones stay: links printed with them must go on. */
export async function ensurePlatformDomain(sql: Sql, host: string): Promise<void> {
  await sql.query(
    `insert into domains (id, organization_id, domain, is_verified, txt_record)
     values ($1, null, $2, true, '') on conflict do nothing`,
    [uuidv7(), host],
  );
}
