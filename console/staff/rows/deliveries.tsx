import { staffPages, type ToolItem } from '#console/api/staff.ts';
import { StaffRow } from '#console/staff/list.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import { ToolButton } from './actions.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Chip } from '#console/ui/page/states.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { MoreList } from '#console/ui/list/more-list.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';

const shownAtOnce = 10;
const tones = { delivered: 'good', pending: 'accent', failed: 'bad', held: 'quiet' } as const;

/** Deliveries of a webhook, the latest first; each can be sent again. */
export function Deliveries({ id }: { id: string }) {
  const words = useStaffWords();
  return (
    <MoreList
      query={useInfiniteQuery(staffPages('webhooks.deliveries', { id, limit: shownAtOnce }))}
      itemsOf={(page) => page.items}
      none={words.noDeliveries}
      rows={2}
    >
      {(items) => (
        <ul className={layout.rows}>
          {items.map((delivery) => (
            <DeliveryRow key={delivery.id} webhookId={id} delivery={delivery} />
          ))}
        </ul>
      )}
    </MoreList>
  );
}

function DeliveryRow({ webhookId, delivery }: { webhookId: string; delivery: ToolItem<'webhooks.deliveries'> }) {
  const words = useStaffWords();
  const { id, type, status, responseCode, attempts, createdAt } = delivery;
  return (
    <StaffRow
      lines={[
        <>
          {words.attempts(attempts)} · <Moment at={createdAt} as="ago" />
        </>,
      ]}
      actions={
        <ToolButton
          path="webhooks.redeliver"
          input={{ id: webhookId, deliveryId: id }}
          label={words.sendAgainOne(type)}
          done={words.sentAgain}
        >
          {words.sendAgain}
        </ToolButton>
      }
    >
      <code>{type}</code> <Chip tone={tones[status]}>{words.deliveryStatuses[status]}</Chip>{' '}
      {responseCode !== null && <Chip>{responseCode}</Chip>}
    </StaffRow>
  );
}
