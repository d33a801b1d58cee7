import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { plans } from '#core/organizations/plans.ts';
import { apiBase } from '#console/api/client.ts';
import { type Webhook, webhookListQuery, webhookOutlookQuery } from '#console/api/webhooks.ts';
import { useCan } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useTitle } from '#console/app/title.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { HealthChip, nameOf } from './health.tsx';
import { useWebhookWords } from './words.ts';
import css from './webhooks.module.css';

/** /webhooks */
export function WebhooksPage() {
  const words = useWebhookWords();
  const ui = useUiWords();
  useTitle(words.title);
  const canRead = useCan('webhooks', 'read');
  return canRead ? (
    <Webhooks />
  ) : (
    <Empty icon="lock" title={words.notReadable}>
      {ui.notAllowed}
    </Empty>
  );
}

function Webhooks() {
  const words = useWebhookWords();
  const ui = useUiWords();
  const canCreate = useCan('webhooks', 'create');
  const most = plans[useSession().organization.plan].webhooks;
  const [isAdding, setAdding] = useState(false);
  // The API refuses calls on webhooks to plans without them.
  const { data, error, refetch } = useQuery({ ...webhookListQuery, enabled: most > 0 });
  const count = data?.count ?? 0;
  const reason = !canCreate
    ? ui.notAllowed
    : most === 0
      ? words.needsPlan
      : count >= most
        ? words.planFull(most)
        : undefined;
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{words.title}</h1>
        <Button
          variant="primary"
          icon="add"
          isDisabled={reason !== undefined}
          hint={reason}
          onPress={() => setAdding(true)}
        >
          {words.add}
        </Button>
      </div>
      {error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined && most > 0 ? (
        <Skeleton rows={3} height={4} />
      ) : data === undefined || count === 0 ? (
        <Empty
          icon="webhook"
          title={words.noneTitle}
          command={`curl -X POST ${apiBase()}/webhook -H 'x-api-key: …' \\\n  --json '{"url":"https://hooks.example.com/","events":["link.created"]}'`}
        >
          <p>{words.noneText}</p>
          {most === 0 && <p>{words.needsPlan}</p>}
        </Empty>
      ) : (
        <>
          <p className="quiet" role="status">
            {words.found(count)}
          </p>
          <ul className={css.list} aria-label={words.title}>
            {data.data.map((webhook) => (
              <Row key={webhook.id} webhook={webhook} />
            ))}
          </ul>
        </>
      )}
      {isAdding && <CreateDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

const shownEvents = 3;

function Row({ webhook }: { webhook: Webhook }) {
  const words = useWebhookWords();
  const { id, url, events, isActive, isPaused, consecutiveFailures } = webhook;
  // The row of a webhook that does well, or is off, says all.
  const isTold = !isActive || (!isPaused && consecutiveFailures === 0);
  const { data: outlook } = useQuery({ ...webhookOutlookQuery(id), enabled: !isTold });
  const more = events.length - shownEvents;
  return (
    <li className={css.row}>
      <div className={css.names}>
        <Link to="/webhooks/$id" params={{ id }} className={css.name}>
          {nameOf(webhook)}
        </Link>
        <span className="quiet">{new URL(url).host}</span>
      </div>
      <span className={css.events} title={events.join(', ')}>
        {events
          .slice(0, shownEvents)
          .map((type) => words.types[type])
          .join(', ')}
        {more > 0 && ` +${String(more)}`}
      </span>
      <HealthChip webhook={webhook} outlook={outlook} />
    </li>
  );
}
