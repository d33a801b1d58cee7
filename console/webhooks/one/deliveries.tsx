import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import {
  deliveriesPerPage,
  deliveriesQuery,
  type Delivery,
  pollMs,
  type Webhook,
  type WebhookOutlook,
} from '#console/api/webhooks.ts';
import { useCan } from '#console/app/can.ts';
import { useIsBeingDeleted } from '#console/app/deletion.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Pages } from '#console/ui/pages.tsx';
import { Button } from '#console/ui/button.tsx';
import { Checkbox } from '#console/ui/field.tsx';
import { useNow } from '#console/ui/now.ts';
import { Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { DeliveryState } from '#console/webhooks/delivery-state.tsx';
import { laterOf } from '#console/webhooks/health.tsx';
import { rangeOf } from '#console/app/days.ts';
import type { WebhookSearch } from '#console/webhooks/search.ts';
import { useRedeliver } from '#console/webhooks/use-redeliver.ts';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { Filters } from './filters.tsx';
import { useWebhookPageWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';

/** Deliveries of a webhook by the filters of the address, which can be sent again. */
export function Deliveries({ webhook, outlook }: { webhook: Webhook; outlook: WebhookOutlook | undefined }) {
  const words = useWebhookPageWords();
  const navigate = useNavigate();
  const search = useSearch({ from: '/frame/webhooks/$id' });
  const { status, type, event, page = 1 } = search;
  const { id } = webhook;
  const filters = { status, type, eventId: event, ...rangeOf(search) };
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...deliveriesQuery(id, filters, page - 1),
    enabled: !useIsBeingDeleted(id),
    refetchInterval: ({ state }) => pollMs(outlook, state.data?.data),
  });
  const change = (next: WebhookSearch): void =>
    void navigate({ to: '/webhooks/$id', params: { id }, search: next, resetScroll: false });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <section className={css.panel} aria-label={words.deliveries}>
      <h2>{words.deliveries}</h2>
      <Filters search={search} onChange={change} />
      {error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={6} height={3} />
      ) : data.data.length === 0 ? (
        <Empty
          icon="webhook"
          title={!isFiltered ? words.none : status === 'failed' ? words.noneFailed : words.noneFound}
          action={isFiltered && <Button onPress={() => change({})}>{words.clear}</Button>}
        />
      ) : (
        <>
          <Rows webhook={webhook} deliveries={data.data} count={data.count} isStale={isPlaceholderData} />
          <Pages
            page={page}
            pages={Math.ceil(data.count / deliveriesPerPage)}
            onPage={(next) => {
              const { page: _before, ...rest } = search;
              change(next === 1 ? rest : { ...rest, page: next });
            }}
          />
        </>
      )}
    </section>
  );
}

interface RowsProps {
  webhook: Webhook;
  deliveries: readonly Delivery[];
  /** How many match on all pages. */
  count: number;
  isStale: boolean;
}

function Rows({ webhook: { id, isActive }, deliveries, count, isStale }: RowsProps) {
  const words = useWebhookPageWords();
  const webhookWords = useWebhookWords();
  const ui = useUiWords();
  const canSend = useCan('webhooks', 'update');
  const { done, send } = useRedeliver(id);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [total, setTotal] = useState(0);
  const chosen = deliveries.filter((one) => selected.has(one.id)).map((one) => one.id);
  const failed = deliveries.filter(({ status }) => status === 'failed').map((one) => one.id);
  const reason = !canSend ? ui.notAllowed : isActive ? undefined : webhookWords.mustBeOn;

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
        <span className={css.gap} />
        {(chosen.length > 0 || failed.length > 0) && (
          <Button
            size="small"
            icon="refresh"
            isPending={done !== undefined}
            isDisabled={reason !== undefined}
            hint={reason}
            onPress={() => void sendAll(chosen.length > 0 ? chosen : failed)}
          >
            {chosen.length > 0 ? words.selected(chosen.length) : words.allFailed(failed.length)}
          </Button>
        )}
      </div>
      <ul className={[css.deliveries, isStale ? css.isStale : ''].join(' ')} aria-label={words.deliveries}>
        {deliveries.map((delivery) => (
          <Row
            key={delivery.id}
            webhookId={id}
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
  delivery: Delivery;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}

function Row({ webhookId, delivery, isSelected, onSelect }: RowProps) {
  const words = useWebhookPageWords();
  const { types } = useWebhookWords();
  const format = useFormat();
  const now = useNow();
  const { id, type, status, responseCode, attempts, createdAt, nextAttemptAt } = delivery;
  const what = `${types[type]}, ${format.moment(createdAt)}`;
  return (
    <li>
      <Checkbox aria-label={words.select(what)} isSelected={isSelected} onChange={onSelect} />
      <div className={css.what}>
        <Link to="/webhooks/$id/deliveries/$deliveryId" params={{ id: webhookId, deliveryId: id }} className={css.name}>
          {types[type]}
        </Link>
        <time className="quiet" dateTime={createdAt} title={format.whole(createdAt)}>
          {format.moment(createdAt)}
        </time>
      </div>
      <span>
        <DeliveryState status={status} attempts={attempts} />
      </span>
      <span className="tabular">{responseCode ?? (attempts > 0 ? words.noAnswer : '')}</span>
      <span className="quiet">
        {words.attempts(attempts)}
        {nextAttemptAt !== null && (
          <>
            {', '}
            <time dateTime={nextAttemptAt} title={format.whole(nextAttemptAt)}>
              {words.next(format.relative(laterOf(nextAttemptAt, now), now))}
            </time>
          </>
        )}
      </span>
    </li>
  );
}
