import type { WebhookTarget } from '#core/webhooks/workflow.ts';
import type { Sql } from '#db/connection/database.ts';
import { channels, notify } from '#db/connection/notify.ts';

// Payloads stay below 8,000 bytes.
const idsAtOnce = 200;

/**
 * Reads the webhooks that are to be woken; deleted ones too, so that their actors end. Where somebody is sending, whoever that
 * is gets a notification instead; nothing is lost with it: who stops sending looks once more after saying so.
 */
export async function listWakeTargets(sql: Sql, ids: readonly string[]): Promise<WebhookTarget[]> {
  const { rows } = await sql.query<{ id: string; organizationId: string; url: string; isAwake: boolean }>({
    name: 'webhook_wake_targets',
    text: `select id, organization_id as "organizationId", url,
        deleted_at is null and is_pumping and looked_at >= now() - interval '15 seconds' as "isAwake"
      from webhooks where id = any($1::uuid[])`,
    values: [ids],
  });
  const awake = rows.filter(({ isAwake }) => isAwake);
  for (let from = 0; from < awake.length; from += idsAtOnce) {
    const some = awake.slice(from, from + idsAtOnce);
    await notify(sql, channels.deliveries, some.map(({ id }) => id).join(','));
  }
  return rows
    .filter(({ isAwake }) => !isAwake)
    .map(({ id, organizationId, url }) => ({ id, organizationId, host: new URL(url).host }));
}
