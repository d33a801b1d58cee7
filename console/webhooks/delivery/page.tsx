import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import {
  type DeliveryDetail,
  deliveryQuery,
  pollMs,
  type Webhook,
  webhookOutlookQuery,
  webhookQuery,
} from '#console/api/webhooks.ts';
import { useRefusal } from '#console/app/can.ts';
import { lastSearch } from '#console/app/places/use-page-search.ts';
import { useTitle } from '#console/app/places/title.ts';
import { Button } from '#console/ui/button.tsx';
import { DeliveryState } from '#console/webhooks/standing.tsx';
import { webhookLabel } from '#core/webhooks/label.ts';
import { useRedeliver } from '#console/webhooks/use-redeliver.ts';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { Attempts } from './attempts.tsx';
import { useDeliveryWords } from './words.ts';
import { Moment } from '#console/ui/page/moment.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Facts } from '#console/ui/page/facts.tsx';
import { Gone, Loaded } from '#console/ui/page/loaded.tsx';
import { useState } from 'react';
import { Code, inLines } from '#console/ui/text/code.tsx';
import css from '#console/webhooks/webhooks.module.css';
import { Panel } from '#console/ui/page/panel.tsx';
import { Tabs } from '#console/ui/page/tabs.tsx';

/** /webhooks/<id>/deliveries/<deliveryId> */
export default function DeliveryPage() {
  const words = useDeliveryWords();
  const { back } = useWebhookWords();
  const { id, deliveryId } = useParams({ from: '/frame/webhooks/$id/deliveries/$deliveryId' });
  const { data: outlook } = useQuery(webhookOutlookQuery(id));
  const webhook = useQuery(webhookQuery(id));
  const delivery = useQuery({
    ...deliveryQuery(id, deliveryId),
    refetchInterval: ({ state: { data } }) => pollMs(outlook, data === undefined ? [] : [data]),
  });
  const gone = <Gone icon="webhook" title={words.gone} to="/webhooks" back={back} />;
  return (
    <Loaded query={webhook} rows={3} height={8} gone={gone}>
      {(ofWebhook) => (
        <Loaded query={delivery} rows={3} height={8} gone={gone}>
          {(one) => <DeliveryView webhook={ofWebhook} delivery={one} isFailing={outlook?.state === 'failing'} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface ViewProps {
  webhook: Webhook;
  delivery: DeliveryDetail;
  isFailing: boolean;
}

function DeliveryView({ webhook, delivery, isFailing }: ViewProps) {
  const words = useDeliveryWords();
  const webhookWords = useWebhookWords();
  const refusal = useRefusal('webhooks', 'update');
  const { id, type, status, createdAt, eventId, attempts, body } = delivery;
  const { done, send } = useRedeliver(webhook.id);
  const title = webhookWords.types[type];
  useTitle(title);
  const reason = refusal ?? (webhook.isActive ? undefined : webhookWords.mustBeOn);
  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/webhooks/$id" params={{ id: webhook.id }} search={lastSearch(`/webhooks/${webhook.id}`)}>
          {words.back(webhookLabel(webhook))}
        </Link>
      </p>
      <div className={layout.head}>
        <h1>{title}</h1>
        <span role="status">
          <DeliveryState status={status} attempts={attempts.length} />
        </span>
        <span className={layout.gap} />
        <Button
          variant="primary"
          icon="refresh"
          isPending={done !== undefined}
          refusal={reason}
          onPress={() => void send([id])}
        >
          {webhookWords.sendAgain}
        </Button>
      </div>
      <Facts
        facts={[
          [words.event, <code key="type">{type}</code>],
          [words.made, <Moment key="made" at={createdAt} />],
          [words.eventId, <code key="id">{eventId}</code>, 'wide'],
        ]}
      />
      <Attempts delivery={delivery} isFailing={isFailing} isPaused={webhook.isPaused} />
      <Body text={body} />
    </article>
  );
}

/** The body of an event, as it is sent or in lines. */
function Body({ text }: { text: string }) {
  const words = useDeliveryWords();
  const [shape, setShape] = useState<'asSent' | 'formatted'>('asSent');
  const isFormatted = shape === 'formatted';
  return (
    <Panel
      title={words.body}
      actions={
        <Tabs
          label={words.body}
          current={shape}
          onChange={setShape}
          tabs={(['asSent', 'formatted'] as const).map((id) => ({ id, label: words[id] }))}
        />
      }
    >
      <p className="quiet">{words.bodyText}</p>
      <div className={isFormatted ? undefined : css.wrapped}>
        <Code text={isFormatted ? inLines(text) : text} label={words.body} name={words.copiedBody} />
      </div>
    </Panel>
  );
}
