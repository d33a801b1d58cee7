import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ApiError } from '#console/api/error.ts';
import {
  type DeliveryDetail,
  deliveryQuery,
  pollMs,
  type Webhook,
  webhookOutlookQuery,
  webhookQuery,
} from '#console/api/webhooks.ts';
import { useCan } from '#console/app/can.ts';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { DeliveryState } from '#console/webhooks/delivery-state.tsx';
import { nameOf } from '#console/webhooks/health.tsx';
import { useRedeliver } from '#console/webhooks/use-redeliver.ts';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { Attempts } from './attempts.tsx';
import { Body } from './body.tsx';
import { useDeliveryWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';

/** /webhooks/<id>/deliveries/<deliveryId> */
export function DeliveryPage() {
  const words = useDeliveryWords();
  const { back } = useWebhookWords();
  const { id, deliveryId } = useParams({ from: '/frame/webhooks/$id/deliveries/$deliveryId' });
  const { data: outlook } = useQuery(webhookOutlookQuery(id));
  const webhook = useQuery(webhookQuery(id));
  const delivery = useQuery({
    ...deliveryQuery(id, deliveryId),
    refetchInterval: ({ state: { data } }) => pollMs(outlook, data === undefined ? [] : [data]),
  });
  if (webhook.data !== undefined && delivery.data !== undefined)
    return <DeliveryView webhook={webhook.data} delivery={delivery.data} isFailing={outlook?.state === 'failing'} />;
  const error = webhook.error ?? delivery.error;
  if (error instanceof ApiError && [400, 403, 404].includes(error.status))
    return (
      <Empty
        icon="webhook"
        title={words.gone}
        action={
          <Link to="/webhooks" className={buttonClass('primary')}>
            {back}
          </Link>
        }
      />
    );
  if (error !== null)
    return <Failed error={error} onRetry={() => void Promise.all([webhook.refetch(), delivery.refetch()])} />;
  return <Skeleton rows={3} height={8} />;
}

interface ViewProps {
  webhook: Webhook;
  delivery: DeliveryDetail;
  isFailing: boolean;
}

function DeliveryView({ webhook, delivery, isFailing }: ViewProps) {
  const words = useDeliveryWords();
  const webhookWords = useWebhookWords();
  const ui = useUiWords();
  const format = useFormat();
  const canSend = useCan('webhooks', 'update');
  const { id, type, status, createdAt, eventId, attempts, body } = delivery;
  const { done, send } = useRedeliver(webhook.id);
  const title = webhookWords.types[type];
  useTitle(title);
  const reason = !canSend ? ui.notAllowed : webhook.isActive ? undefined : webhookWords.mustBeOn;
  return (
    <article className={css.page}>
      <p>
        <Link to="/webhooks/$id" params={{ id: webhook.id }}>
          {words.back(nameOf(webhook))}
        </Link>
      </p>
      <div className={css.head}>
        <h1>{title}</h1>
        <span role="status">
          <DeliveryState status={status} attempts={attempts.length} />
        </span>
        <span className={css.gap} />
        <Button
          variant="primary"
          icon="refresh"
          isPending={done !== undefined}
          isDisabled={reason !== undefined}
          hint={reason}
          onPress={() => void send([id])}
        >
          {webhookWords.sendAgain}
        </Button>
      </div>
      <dl className={css.facts}>
        <div>
          <dt>{words.event}</dt>
          <dd>
            <code>{type}</code>
          </dd>
        </div>
        <div>
          <dt>{words.made}</dt>
          <dd>
            <time dateTime={createdAt} title={format.whole(createdAt)}>
              {format.moment(createdAt)}
            </time>
          </dd>
        </div>
        <div>
          <dt>{words.eventId}</dt>
          <dd>
            <code>{eventId}</code>
          </dd>
        </div>
      </dl>
      <Attempts delivery={delivery} isFailing={isFailing} isPaused={webhook.isPaused} />
      <Body text={body} />
    </article>
  );
}
