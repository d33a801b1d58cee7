import { useInfiniteQuery } from '@tanstack/react-query';
import { staffPages, type ToolItem } from '#console/api/staff.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useChange } from '#console/staff/use-change.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { Button } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Failed, Skeleton } from '#console/ui/states.tsx';
import css from '#console/staff/staff.module.css';

const shownAtOnce = 10;
const tones = { delivered: 'good', pending: 'accent', failed: 'bad', held: 'quiet' } as const;

/** Deliveries of a webhook, the latest first; each can be sent again. */
export function Deliveries({ id }: { id: string }) {
  const words = useStaffWords();
  const list = useInfiniteQuery(staffPages('webhooks.deliveries', { id, limit: shownAtOnce }));
  const items = list.data?.pages.flatMap((page) => page.items);
  if (items === undefined) {
    if (list.error === null) return <Skeleton rows={2} />;
    return <Failed error={list.error} onRetry={() => void list.refetch()} />;
  }
  if (items.length === 0) return <span className="quiet">{words.noDeliveries}</span>;
  return (
    <>
      <ul className={css.rows}>
        {items.map((delivery) => (
          <DeliveryRow key={delivery.id} webhookId={id} delivery={delivery} />
        ))}
      </ul>
      {list.hasNextPage && (
        <span>
          <Button size="small" isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            {words.more}
          </Button>
        </span>
      )}
    </>
  );
}

function DeliveryRow({ webhookId, delivery }: { webhookId: string; delivery: ToolItem<'webhooks.deliveries'> }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const { id, type, status, responseCode, attempts, createdAt } = delivery;
  const redeliver = useChange('webhooks.redeliver', words.sentAgain);
  return (
    <li>
      <span className={css.about}>
        <span>
          <code>{type}</code> <Chip tone={tones[status]}>{words.deliveryStatuses[status]}</Chip>{' '}
          {responseCode !== null && <Chip>{responseCode}</Chip>}
        </span>
        <span className="quiet" title={format.whole(createdAt)}>
          {words.attempts(attempts)} · {format.ago(createdAt, now)}
        </span>
      </span>
      <Button
        size="small"
        isDisabled={redeliver.isPending}
        aria-label={words.sendAgainOne(type)}
        onPress={() => redeliver.mutate({ id: webhookId, deliveryId: id })}
      >
        {words.sendAgain}
      </Button>
    </li>
  );
}
