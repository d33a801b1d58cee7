import type { Sql } from './database.ts';

/** A webhook whose actor is to be woken. */
export interface WakeTarget {
  id: string;
  organizationId: string;
  /** Host of its address, for people. */
  host: string;
}

/**
 * Reads the webhooks that are to be woken; deleted ones too, so that their actors end. Where somebody is sending, nobody needs
 * to be woken: whoever stops sending looks once more after saying so.
 */
export async function listWakeTargets(sql: Sql, ids: readonly string[]): Promise<WakeTarget[]> {
  const { rows } = await sql.query<{ id: string; organizationId: string; url: string }>({
    name: 'webhook_wake_targets',
    text: `select id, organization_id as "organizationId", url from webhooks where id = any($1::uuid[])
      and (deleted_at is not null or not is_pumping or looked_at < now() - interval '15 seconds')`,
    values: [ids],
  });
  return rows.map(({ url, ...target }) => ({ ...target, host: new URL(url).host }));
}
