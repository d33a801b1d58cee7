import { failingFrom } from '#core/webhooks/standing.ts';
import { type Meter, samplesOf, shareRead } from '#core/lib/meter.ts';
import type { Sql } from '#db/connection/database.ts';

// A choice, for each webhook: a longer backlog tells an operator no more, and takes long to count.
const countedAtMost = 10_000;

interface WebhookFigures {
  well: number;
  failing: number;
  off: number;
  wellPending: number;
  failingPending: number;
  pausedPending: number;
  delay: number;
}

/** Gauges of all webhooks of the installation: every process reports the same figures. */
export function measureWebhooks(meter: Meter, sql: Sql): void {
  const figures = shareRead(() => readFigures(sql));
  meter.gauge(
    'waymark_webhooks',
    'Webhooks that are well, that fail (10 failures in a row or more), and that were turned off by their failures.',
    async () => {
      const { well, failing, off } = await figures();
      return samplesOf('state', { well, failing, off });
    },
    ['state'],
  );
  meter.gauge(
    'waymark_webhook_pending_deliveries',
    'Deliveries that wait: of webhooks that are well, that fail, that are paused or whose organization is suspended or not premium; up to 10,000 of each.',
    async () => {
      const { wellPending: well, failingPending: failing, pausedPending: paused } = await figures();
      return samplesOf('state', { well, failing, paused });
    },
    ['state'],
  );
  meter.gauge(
    'waymark_webhook_delay_seconds',
    'How long the oldest delivery of a webhook that is well has been due without any attempt to send to that webhook.',
    async () => (await figures()).delay,
  );
}

// By hand: it looks at the first rows of each webhook's indexes alone, so that a scrape costs the same beside any backlog;
// no benchmark runs it.
async function readFigures(sql: Sql): Promise<WebhookFigures> {
  const pending = (state: string): string => `coalesce(sum(pending) filter (where state = '${state}'), 0)::float8`;
  const { rows } = await sql.query<WebhookFigures>({
    name: 'measure-webhooks',
    text: `
      select count(*) filter (where state = 'well') as well, count(*) filter (where state = 'failing') as failing,
        count(*) filter (where state = 'off' and disabled_reason <> 'turned_off') as off,
        ${pending('well')} as "wellPending", ${pending('failing')} as "failingPending",
        ${pending('paused')} as "pausedPending",
        -- While attempts are made, a backlog is the receiver's, which is slow, or that of the webhook's own limit.
        coalesce(max(extract(epoch from now() - greatest(due_at, attempted_at)))
          filter (where state = 'well' and due_at < now()), 0)::float8 as delay
      from (
        select w.disabled_reason, w.attempted_at, case when not w.is_active then 'off'
            when w.is_paused or o.suspended_at is not null or o.plan <> 'premium' then 'paused'
            when w.consecutive_failures >= ${failingFrom} then 'failing' else 'well' end as state,
          (select count(*) from (
            select from deliveries where webhook_id = w.id and status = 'pending' and w.is_active limit ${countedAtMost}) d) as pending,
          (select due_at from deliveries where webhook_id = w.id and status = 'pending' and not is_urgent and w.is_active
            order by due_at limit 1) as due_at
        from webhooks w join organizations o on o.id = w.organization_id
        where w.deleted_at is null and o.deleted_at is null
      ) all_webhooks`,
  });
  return rows[0]!;
}
