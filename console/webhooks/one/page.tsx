import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiError } from '#console/api/error.ts';
import { type Webhook, webhookOutlookQuery, webhookQuery } from '#console/api/webhooks.ts';
import { useIsBeingDeleted } from '#console/app/deletion.ts';
import { useTitle } from '#console/app/title.ts';
import { buttonClass } from '#console/ui/button.tsx';
import { Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { HealthChip, healthOf, nameOf } from '#console/webhooks/health.tsx';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { Actions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { Facts } from './facts.tsx';
import { TestButton } from './test.tsx';
import { useWebhookPageWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';

const Trouble = lazy(() => import('./trouble.tsx'));
const Story = lazy(() => import('#console/processes/story.tsx'));

/** /webhooks/<id> */
export function WebhookPage() {
  const words = useWebhookWords();
  const { id } = useParams({ from: '/frame/webhooks/$id' });
  const isBeingDeleted = useIsBeingDeleted(id);
  const { data, error, refetch } = useQuery({ ...webhookQuery(id), enabled: !isBeingDeleted });
  if (data !== undefined) return <WebhookView key={id} webhook={data} />;
  if (error instanceof ApiError && [400, 403, 404].includes(error.status))
    return (
      <Empty
        icon="webhook"
        title={words.gone}
        action={
          <Link to="/webhooks" className={buttonClass('primary')}>
            {words.back}
          </Link>
        }
      />
    );
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Skeleton rows={3} height={8} />;
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const words = useWebhookWords();
  const own = useWebhookPageWords();
  useTitle(nameOf(webhook));
  const isBeingDeleted = useIsBeingDeleted(webhook.id);
  const { data: outlook, error, refetch } = useQuery({ ...webhookOutlookQuery(webhook.id), enabled: !isBeingDeleted });
  return (
    <article className={css.page}>
      <p>
        <Link to="/webhooks">{words.back}</Link>
      </p>
      <div className={css.head}>
        <h1>{nameOf(webhook)}</h1>
        <HealthChip webhook={webhook} outlook={outlook} />
        <span className={css.gap} />
        <Actions webhook={webhook} outlook={outlook} />
        <TestButton webhook={webhook} />
      </div>
      <p role="status">{own.about[healthOf(webhook, outlook)]}</p>
      {outlook !== undefined && (!webhook.isActive || outlook.held > 0) && (
        <Suspense fallback={<Skeleton height={webhook.isActive ? 7 : 20} />}>
          <Trouble webhook={webhook} outlook={outlook} />
        </Suspense>
      )}
      {outlook !== undefined ? (
        <Facts webhook={webhook} outlook={outlook} />
      ) : error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={11} />
      )}
      <Deliveries webhook={webhook} outlook={outlook} />
      <Suspense fallback={<Skeleton height={14} />}>
        <Story subject={webhook.id} />
      </Suspense>
    </article>
  );
}
