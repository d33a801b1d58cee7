import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { plans } from '#core/organizations/plans.ts';
import { apiBase } from '#console/api/client.ts';
import { type Webhook, webhookListQuery, webhookOutlookQuery, type WebhookWithSecret } from '#console/api/webhooks.ts';
import { useCan, useRefusal } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useTitle } from '#console/app/places/title.ts';
import { Button } from '#console/ui/button.tsx';
import { Empty } from '#console/ui/page/states.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { webhookLabel } from '#core/webhooks/label.ts';
import { HealthChip } from './health.tsx';
import { SecretDialog } from './secret/dialog.tsx';
import { useWebhookWords } from './words.ts';
import css from './webhooks.module.css';
import layout from '#console/ui/page/layout.module.css';
import { List } from '#console/ui/list/list.tsx';

/** /webhooks */
export default function WebhooksPage() {
  const words = useWebhookWords();
  useTitle(words.webhooks);
  const canRead = useCan('webhooks', 'read');
  return canRead ? (
    <Webhooks />
  ) : (
    <Empty icon="lock" isPage title={words.notReadable}>
      {words.notAllowed}
    </Empty>
  );
}

function Webhooks() {
  const words = useWebhookWords();
  const refusal = useRefusal('webhooks', 'create');
  const most = plans[useSession().organization.plan].webhooks;
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<WebhookWithSecret>();
  const navigate = useNavigate();
  // The API refuses calls on webhooks to plans without them.
  const query = useQuery({ ...webhookListQuery, enabled: most > 0 });
  const count = query.data?.count ?? 0;
  const needsPlan = most === 0 ? words.needsPlan : count >= most ? words.planFull(most) : undefined;
  const none = (
    <Empty
      icon="webhook"
      title={words.noneTitle}
      action={
        most > 0 && (
          <Button icon="add" refusal={refusal ?? needsPlan} onPress={() => setAdding(true)}>
            {words.add}
          </Button>
        )
      }
      command={`curl -X POST ${apiBase()}/webhook -H 'x-api-key: …' \\\n  --json '{"url":"https://hooks.example.com/","events":["link.created"]}'`}
    >
      <p>{words.noneText}</p>
      {most === 0 && <p>{words.needsPlan}</p>}
    </Empty>
  );
  return (
    <div className={layout.page}>
      <div className={layout.head}>
        <h1>{words.webhooks}</h1>
        <Button variant="primary" icon="add" refusal={refusal ?? needsPlan} onPress={() => setAdding(true)}>
          {words.add}
        </Button>
      </div>
      {most === 0 ? (
        none
      ) : (
        <List query={query} perPage={most} found={words.found} empty={none} rows={3} height={4}>
          {(webhooks) => (
            <ul className={layout.list} aria-label={words.webhooks}>
              {webhooks.map((webhook) => (
                <Row key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          )}
        </List>
      )}
      {isAdding && <CreateDialog onMade={setMade} onClose={() => setAdding(false)} />}
      {made !== undefined && (
        <SecretDialog
          secret={made.secret}
          onClose={() => void navigate({ to: '/webhooks/$id', params: { id: made.id } })}
        />
      )}
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
    <li className={`${layout.row} ${css.row}`}>
      <div className={css.names}>
        <Link to="/webhooks/$id" params={{ id }} className={layout.name}>
          {webhookLabel(webhook)}
        </Link>
        <span className="quiet">{new URL(url).host}</span>
      </div>
      <span className="quiet small" title={events.join(', ')}>
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
