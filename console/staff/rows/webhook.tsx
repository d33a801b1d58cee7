import { useState } from 'react';
import { staffPages, staffQuery, type ToolItem } from '#console/api/staff.ts';
import { webhookLabel } from '#core/webhooks/label.ts';
import { StaffRow } from '#console/staff/list.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import { Owner, Processes, ToolButton } from './actions.tsx';
import { Button } from '#console/ui/button.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { MoreList } from '#console/ui/list/more-list.tsx';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { DeliveryState, useStandingWords } from '#console/webhooks/standing.tsx';
import { useFormat } from '#console/i18n/format.ts';

/** A webhook of any organization. */
export function WebhookRow({ webhook, isOfMany }: { webhook: ToolItem<'webhooks.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const standing = useStandingWords();
  const format = useFormat();
  const { id, url, isActive, consecutiveFailures, disabledAt, disabledReason, organizationId } = webhook;
  const off = disabledAt !== null && disabledReason !== null && standing.off(format.moment(disabledAt), disabledReason);
  const name = webhookLabel(webhook);
  const [isOpen, setOpen] = useState(false);
  return (
    <StaffRow
      lines={[url, off, isOpen && <Deliveries key="deliveries" id={id} />]}
      actions={
        <>
          <Owner id={organizationId} isShown={isOfMany} />
          <Processes search={{ ofWebhook: id }} name={name} />
          <Button
            size="small"
            aria-expanded={isOpen}
            aria-label={words.deliveriesOf(name)}
            onPress={() => setOpen(!isOpen)}
          >
            {words.deliveries}
          </Button>
          {isActive ? (
            <PauseOrResume id={id} name={name} />
          ) : (
            <ToolButton path="webhooks.enable" input={{ id }} label={words.enableOne(name)} done={words.enabled(name)}>
              {words.enable}
            </ToolButton>
          )}
        </>
      }
    >
      <strong>{name}</strong> <Chip tone={isActive ? 'good' : 'bad'}>{isActive ? words.on : words.off}</Chip>{' '}
      {consecutiveFailures > 0 && <Chip tone="warn">{words.failures(consecutiveFailures)}</Chip>}
    </StaffRow>
  );
}

/** Pauses sending, or goes on. The webhook's process knows whether staff have paused it: where it cannot be asked, both are offered. */
function PauseOrResume({ id, name }: { id: string; name: string }) {
  const words = useStaffWords();
  const { data, isError } = useQuery(
    staffQuery('workflows.list', { type: 'webhook', status: 'running', state: 'stopped' }),
  );
  // The list of processes follows a change after a moment.
  const [own, setOwn] = useState<boolean>();
  const isPaused = own ?? data?.items.some((run) => run.id === `webhook/${id}`);
  return (
    <>
      {(isPaused === false || isError) && (
        <ToolButton
          path="webhooks.pause"
          input={{ id }}
          label={words.pauseOne(name)}
          done={words.paused(name)}
          onDone={() => setOwn(true)}
        >
          {words.pause}
        </ToolButton>
      )}
      {(isPaused === true || isError) && (
        <ToolButton
          path="webhooks.resume"
          input={{ id }}
          label={words.resumeOne(name)}
          done={words.resumed(name)}
          onDone={() => setOwn(false)}
        >
          {words.resumeSending}
        </ToolButton>
      )}
    </>
  );
}

const shownAtOnce = 10;

/** Deliveries of a webhook, the latest first; each can be sent again. */
function Deliveries({ id }: { id: string }) {
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
  const answer = useAnswer();
  const { id, type, status, responseCode: code, error, attempts, createdAt } = delivery;
  return (
    <StaffRow
      lines={[
        <>
          {words.attempts(attempts)}
          {(code !== null || error !== null) && ` · ${answer({ code, error })}`} · <Moment at={createdAt} as="ago" />
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
      <code>{type}</code> <DeliveryState status={status} attempts={attempts} />
    </StaffRow>
  );
}
