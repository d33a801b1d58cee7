import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { processesQuery } from '#console/api/processes.ts';
import { type Webhook, webhookOutlookQuery, webhookQuery } from '#console/api/webhooks.ts';
import { useIsBeingDeleted } from '#console/app/organization/deletion.ts';
import { useTitle } from '#console/app/places/title.ts';
import { Skeleton } from '#console/ui/page/states.tsx';
import { webhookLabel } from '#core/webhooks/label.ts';
import { HealthChip, healthOf } from '#console/webhooks/health.tsx';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { Actions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import type { Asked } from './dialogs/dialogs.tsx';
import { WebhookFacts } from './facts.tsx';
import { TestButton, TestResult } from './test.tsx';
import { Trouble } from './trouble.tsx';
import { useWebhookPageWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { late } from '#console/ui/page/late.tsx';
import { Gone, Loaded } from '#console/ui/page/loaded.tsx';

const Dialogs = late(async () => (await import('./dialogs/dialogs.tsx')).default, 'message');
const Story = late(async () => (await import('#console/processes/story.tsx')).default);

/** /webhooks/<id> */
export default function WebhookPage() {
  const words = useWebhookWords();
  const { id } = useParams({ from: '/frame/webhooks/$id' });
  const isBeingDeleted = useIsBeingDeleted(id);
  return (
    <Loaded
      query={useQuery({ ...webhookQuery(id), enabled: !isBeingDeleted })}
      rows={3}
      height={8}
      gone={<Gone icon="webhook" title={words.gone} to="/webhooks" back={words.back} />}
    >
      {(webhook) => <WebhookView key={id} webhook={webhook} />}
    </Loaded>
  );
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const words = useWebhookWords();
  const own = useWebhookPageWords();
  const [testId, setTestId] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
  useTitle(webhookLabel(webhook));
  const isBeingDeleted = useIsBeingDeleted(webhook.id);
  const query = useQuery({ ...webhookOutlookQuery(webhook.id), enabled: !isBeingDeleted });
  const { data: outlook, dataUpdatedAt } = query;
  const queries = useQueryClient();
  // What runs and what comes next are of the same moment as the health above.
  useEffect(() => {
    if (dataUpdatedAt > 0 && !isBeingDeleted) void queries.invalidateQueries(processesQuery(webhook.id));
  }, [queries, dataUpdatedAt, isBeingDeleted, webhook.id]);
  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/webhooks">{words.back}</Link>
      </p>
      <div className={layout.head}>
        <h1>{webhookLabel(webhook)}</h1>
        <HealthChip webhook={webhook} outlook={outlook} />
        <span className={layout.gap} />
        <TestButton webhook={webhook} onSent={setTestId} />
        <Actions webhook={webhook} onAsk={setAsked} />
      </div>
      {testId !== undefined && <TestResult key={testId} id={webhook.id} testId={testId} />}
      <p role="status">{own.about[healthOf(webhook, outlook)]}</p>
      {outlook !== undefined && (!webhook.isActive || outlook.held > 0) && (
        <Trouble webhook={webhook} outlook={outlook} onRecover={() => setAsked('recover')} />
      )}
      <Loaded query={query} height={13.5}>
        {(found) => <WebhookFacts webhook={webhook} outlook={found} />}
      </Loaded>
      <Deliveries webhook={webhook} outlook={outlook} />
      <Suspense fallback={<Skeleton height={14} />}>
        <Story subject={webhook.id} />
      </Suspense>
      <Suspense>
        {asked !== undefined && (
          <Dialogs asked={asked} webhook={webhook} outlook={outlook} onClose={() => setAsked(undefined)} />
        )}
      </Suspense>
    </article>
  );
}
