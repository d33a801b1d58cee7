import { type RawBuilder, sql } from 'kysely';
import { failingFrom } from '#core/webhooks/standing.ts';
import { type Meter, samplesOf, shareRead } from '#core/lib/meter.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

// A choice, for each webhook: a longer backlog tells an operator no more, and takes long to count.
const countedAtMost = 10_000;

/** Gauges of all webhooks of the installation: every process reports the same figures. */
export function measureWebhooks(meter: Meter, em: EntityManager): void {
  const figures = shareRead(() => readFigures(em));
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

// It looks at the first rows of each webhook's indexes alone, so that a scrape costs the same beside any backlog.
function readFigures({ kysely }: EntityManager) {
  const webhooks = kysely
    .selectFrom('Webhook as w')
    .innerJoin('Organization as o', 'o.id', 'w.organization')
    .where('w.deletedAt', 'is', null)
    .where('o.deletedAt', 'is', null)
    .select(['w.disabledReason', 'w.attemptedAt'])
    .select(({ case: when, eb, or, selectFrom }) => {
      const pending = selectFrom('Delivery as d')
        .whereRef('d.webhookId', '=', 'w.id')
        // As the indexes say it.
        .where('d.status', '=', sql.lit('pending'))
        .where('w.isActive', '=', true);
      return [
        when()
          .when('w.isActive', '=', false)
          .then(sql.lit('off'))
          .when(or([eb('w.isPaused', '=', true), eb('o.suspendedAt', 'is not', null), eb('o.plan', '<>', 'premium')]))
          .then(sql.lit('paused'))
          .when('w.consecutiveFailures', '>=', failingFrom)
          .then(sql.lit('failing'))
          .else(sql.lit('well'))
          .end()
          .as('state'),
        selectFrom(pending.select('d.id').limit(countedAtMost).as('few'))
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .as('pending'),
        pending.where('d.isUrgent', '=', sql.lit(false)).select('d.dueAt').orderBy('d.dueAt').limit(1).as('due'),
      ];
    });
  return kysely
    .selectFrom(webhooks.as('w'))
    .select(({ fn, ref }) => [
      fn.countAll<number>().filterWhere('w.state', '=', 'well').as('well'),
      fn.countAll<number>().filterWhere('w.state', '=', 'failing').as('failing'),
      fn
        .countAll<number>()
        .filterWhere((eb) => eb('w.state', '=', 'off').and('w.disabledReason', '<>', 'turned_off'))
        .as('off'),
      pendingOf('well').as('wellPending'),
      pendingOf('failing').as('failingPending'),
      pendingOf('paused').as('pausedPending'),
      // While attempts are made, a backlog is the receiver's, which is slow, or that of the webhook's own limit.
      sql<number>`coalesce(max(extract(epoch from now() - greatest(${ref('w.due')}, ${ref('w.attemptedAt')})))
        filter (where ${ref('w.state')} = 'well' and ${ref('w.due')} < now()), 0)::float8`.as('delay'),
    ])
    .executeTakeFirstOrThrow();
}

function pendingOf(state: 'well' | 'failing' | 'paused'): RawBuilder<number> {
  return sql<number>`coalesce(sum(w.pending) filter (where w.state = ${state}), 0)::float8`;
}
