import { useState } from 'react';
import type { ToolItem } from '#console/api/staff.ts';
import { useChange } from '#console/staff/use-change.ts';
import { useStaffWords } from '#console/staff/words.ts';
import css from '#console/staff/staff.module.css';
import { Button } from '#console/ui/button.tsx';
import { Chip } from '#console/ui/states.tsx';
import { Deliveries } from './deliveries.tsx';
import { Owner, Processes } from './ways.tsx';

/** A webhook of any organization. */
export function WebhookRow({ webhook, isOfMany }: { webhook: ToolItem<'webhooks.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const name = webhook.name ?? new URL(webhook.url).host;
  const [isOpen, setOpen] = useState(false);
  const enable = useChange('webhooks.enable', words.enabled(name));
  const pause = useChange('webhooks.pause', words.paused(name));
  const resume = useChange('webhooks.resume', words.resumed(name));
  return (
    <li>
      <span className={css.about}>
        <span>
          <strong>{name}</strong>{' '}
          <Chip tone={webhook.isActive ? 'good' : 'bad'}>{webhook.isActive ? words.on : words.off}</Chip>{' '}
          {webhook.consecutiveFailures > 0 && <Chip tone="warn">{words.failures(webhook.consecutiveFailures)}</Chip>}
        </span>
        <span className="quiet">{webhook.url}</span>
        {webhook.disabledReason !== null && <span className="quiet">{webhook.disabledReason}</span>}
        {isOpen && <Deliveries id={webhook.id} />}
      </span>
      <span className={css.actions}>
        <Owner id={webhook.organizationId} isShown={isOfMany} />
        <Processes search={{ ofWebhook: webhook.id }} name={name} />
        <Button
          size="small"
          aria-expanded={isOpen}
          aria-label={words.deliveriesOf(name)}
          onPress={() => setOpen(!isOpen)}
        >
          {words.deliveries}
        </Button>
        {webhook.isActive ? (
          <>
            <Button
              size="small"
              isDisabled={pause.isPending}
              onPress={() => pause.mutate({ id: webhook.id })}
              aria-label={words.pauseOne(name)}
            >
              {words.pause}
            </Button>
            <Button
              size="small"
              isDisabled={resume.isPending}
              onPress={() => resume.mutate({ id: webhook.id })}
              aria-label={words.resumeOne(name)}
            >
              {words.resumeSending}
            </Button>
          </>
        ) : (
          <Button
            size="small"
            isDisabled={enable.isPending}
            onPress={() => enable.mutate({ id: webhook.id })}
            aria-label={words.enableOne(name)}
          >
            {words.enable}
          </Button>
        )}
      </span>
    </li>
  );
}
