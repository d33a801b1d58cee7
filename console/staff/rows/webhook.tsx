import { useState } from 'react';
import type { ToolItem } from '#console/api/staff.ts';
import { webhookLabel } from '#core/webhooks/label.ts';
import { StaffRow } from '#console/staff/list.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import { Owner, Processes, ToolButton } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { Button } from '#console/ui/button.tsx';
import { Chip } from '#console/ui/page/states.tsx';

/** A webhook of any organization. */
export function WebhookRow({ webhook, isOfMany }: { webhook: ToolItem<'webhooks.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const { id, url, isActive, consecutiveFailures, disabledReason, organizationId } = webhook;
  const name = webhookLabel(webhook);
  const [isOpen, setOpen] = useState(false);
  return (
    <StaffRow
      lines={[url, disabledReason, isOpen && <Deliveries key="deliveries" id={id} />]}
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
            <>
              <ToolButton path="webhooks.pause" input={{ id }} label={words.pauseOne(name)} done={words.paused(name)}>
                {words.pause}
              </ToolButton>
              <ToolButton
                path="webhooks.resume"
                input={{ id }}
                label={words.resumeOne(name)}
                done={words.resumed(name)}
              >
                {words.resumeSending}
              </ToolButton>
            </>
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
