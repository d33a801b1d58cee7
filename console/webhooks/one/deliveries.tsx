import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  deliveriesPerPage,
  deliveriesQuery,
  type Delivery,
  pollMs,
  type Webhook,
  type WebhookOutlook,
} from '#console/api/webhooks.ts';
import { useRefusal } from '#console/app/can.ts';
import { useIsBeingDeleted } from '#console/app/organization/deletion.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Checkbox } from '#console/ui/form/field.tsx';
import { useNowUntil } from '#console/ui/browser/now.ts';
import { Empty } from '#console/ui/page/states.tsx';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { DeliveryState } from '#console/webhooks/standing.tsx';
import { rangeOf } from '#console/app/days.ts';
import type { WebhookSearch } from '#console/webhooks/search.ts';
import { useRedeliver } from '#console/webhooks/use-redeliver.ts';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { Filters } from './filters.tsx';
import { useWebhookPageWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import layout from '#console/ui/page/layout.module.css';
import { List } from '#console/ui/list/list.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

/** Deliveries of a webhook by the filters of the address, which can be sent again. */
export function Deliveries({ webhook, outlook }: { webhook: Webhook; outlook: WebhookOutlook | undefined }) {
  const words = useWebhookPageWords();
  const { search, change } = usePageSearch<WebhookSearch>();
  const { status, type, event, page = 1 } = search;
  const { id } = webhook;
  const filters = { status, type, eventId: event, ...rangeOf(search) };
  const query = useQuery({
    ...deliveriesQuery(id, filters, page - 1),
    enabled: !useIsBeingDeleted(id),
    refetchInterval: ({ state }) => pollMs(outlook, state.data?.data),
  });
  const clear = (): void =>
    change({ status: undefined, type: undefined, event: undefined, since: undefined, until: undefined });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Panel title={words.deliveries}>
      <Filters search={search} onChange={change} />
      <List
        query={query}
        page={page}
        perPage={deliveriesPerPage}
        onPage={(next) => change({ page: next })}
        rows={6}
        empty={
          <Empty
            icon="webhook"
            title={!isFiltered ? words.none : status === 'failed' ? words.noneFailed : words.noneFound}
            action={isFiltered && <Button onPress={clear}>{words.clear}</Button>}
          />
        }
      >
        {(deliveries, { count }) => (
          <Rows webhook={webhook} state={outlook?.state} deliveries={deliveries} count={count} />
        )}
      </List>
    </Panel>
  );
}

interface RowsProps {
  webhook: Webhook;
  state: WebhookOutlook['state'] | undefined;
  deliveries: readonly Delivery[];
  /** How many match on all pages. */
  count: number;
}

function Rows({ webhook: { id, isActive }, state, deliveries, count }: RowsProps) {
  const words = useWebhookPageWords();
  const webhookWords = useWebhookWords();
  const refusal = useRefusal('webhooks', 'update');
  const { done, send } = useRedeliver(id);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [total, setTotal] = useState(0);
  const chosen = deliveries.filter((one) => selected.has(one.id)).map((one) => one.id);
  const failed = deliveries.filter(({ status }) => status === 'failed').map((one) => one.id);
  const reason = refusal ?? (isActive ? undefined : webhookWords.mustBeOn);

  async function sendAll(ids: readonly string[]): Promise<void> {
    setTotal(ids.length);
    // Those that were not sent again stay selected.
    setSelected(new Set(await send(ids)));
  }

  return (
    <>
      <div className={css.bar}>
        <Checkbox
          aria-label={words.selectAll}
          isSelected={chosen.length === deliveries.length}
          isIndeterminate={chosen.length > 0 && chosen.length < deliveries.length}
          onChange={(isAll) => setSelected(new Set(isAll ? deliveries.map((one) => one.id) : []))}
        />
        <p className="quiet" role="status">
          {done === undefined ? words.found(count) : words.sending(done, total)}
        </p>
        <span className={layout.gap} />
        {(chosen.length > 0 || failed.length > 0) && (
          <Button
            size="small"
            icon="refresh"
            isPending={done !== undefined}
            refusal={reason}
            onPress={() => void sendAll(chosen.length > 0 ? chosen : failed)}
          >
            {chosen.length > 0 ? words.selected(chosen.length) : words.allFailed(failed.length)}
          </Button>
        )}
      </div>
      <ul className={[layout.list, css.deliveries].join(' ')} aria-label={words.deliveries}>
        {deliveries.map((delivery) => (
          <Row
            key={delivery.id}
            webhookId={id}
            state={state}
            delivery={delivery}
            isSelected={selected.has(delivery.id)}
            onSelect={(isSelected) => {
              const next = new Set(selected);
              if (isSelected) next.add(delivery.id);
              else next.delete(delivery.id);
              setSelected(next);
            }}
          />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  webhookId: string;
  state: WebhookOutlook['state'] | undefined;
  delivery: Delivery;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}

function Row({ webhookId, state, delivery, isSelected, onSelect }: RowProps) {
  const words = useWebhookPageWords();
  const { types } = useWebhookWords();
  const answer = useAnswer();
  const format = useFormat();
  const { id, type, status, responseCode: code, error, attempts, createdAt, nextAttemptAt } = delivery;
  const now = useNowUntil(nextAttemptAt);
  const ended = code !== null && code < 300 ? code : code === null && error === null ? '' : answer({ code, error });
  const what = `${types[type]}, ${format.moment(createdAt)}`;
  return (
    <li>
      <Checkbox aria-label={words.select(what)} isSelected={isSelected} onChange={onSelect} />
      <div className={css.what}>
        <Link
          to="/webhooks/$id/deliveries/$deliveryId"
          params={{ id: webhookId, deliveryId: id }}
          className={layout.name}
        >
          {types[type]}
        </Link>
        <Moment at={createdAt} className="quiet" />
      </div>
      <span>
        <DeliveryState status={status} attempts={attempts} />
      </span>
      <span>{ended}</span>
      <span className="quiet">
        {words.attempts(attempts)}
        {nextAttemptAt !== null && (
          <>
            {', '}
            {state === 'failing' || state === 'paused' ? (
              words.waitsWhile[state]
            ) : (
              <time dateTime={nextAttemptAt} title={format.whole(nextAttemptAt)}>
                {words.next(format.soon(nextAttemptAt, now))}
              </time>
            )}
          </>
        )}
      </span>
    </li>
  );
}
