import { toLocalInput } from '#console/ui/browser/local-input.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deliveriesQuery, recoverWebhook, type Webhook, type WebhookOutlook } from '#console/api/webhooks.ts';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { useDialogWords } from './dialog-words.ts';
import { useChange } from '#console/ui/form/use-change.ts';

interface RecoverProps {
  webhook: Webhook;
  outlook: WebhookOutlook | undefined;
  onClose: () => void;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const keptMs = 30 * dayMs;
// The attempts of a delivery take 31 hours, so events that were held may be that much older.
const backMs = 2 * dayMs;

/** Sends the events that a webhook missed since a moment. */
export function RecoverDialog({ webhook, outlook, onClose }: RecoverProps) {
  const words = useDialogWords();
  const { id, createdAt, disabledAt } = webhook;
  const [openedMs] = useState(() => Date.now());
  const [text, setText] = useState(() => {
    const troubleAt = disabledAt ?? outlook?.failingSince ?? outlook?.lastFailure?.at;
    const troubleMs = troubleAt === undefined ? openedMs : Date.parse(troubleAt);
    return toLocalInput(
      new Date(Math.max(troubleMs - backMs, Date.parse(createdAt) - minuteMs, openedMs - keptMs + 5 * minuteMs)),
    );
  });
  // Without a time zone: a moment in that of the person.
  const sinceMs = Date.parse(text);
  const isValid = sinceMs <= openedMs && sinceMs > openedMs - keptMs;
  const since = isValid ? new Date(sinceMs).toISOString() : undefined;
  const failed = useQuery({ ...deliveriesQuery(id, { status: 'failed', since }, 0, 1), enabled: isValid });
  const held = useQuery({ ...deliveriesQuery(id, { status: 'held', since }, 0, 1), enabled: isValid });
  const recover = useChange({
    send: (_input: void, intent) => recoverWebhook(id, since ?? '', intent),
    done: words.recovered,
    failed: words.notRecovered,
    refresh: [['webhooks']],
    leave: onClose,
  });
  return (
    <Confirm
      title={words.recoverTitle}
      onClose={onClose}
      submitLabel={words.recoverConfirm}
      isReady={isValid}
      isPending={recover.isPending}
      onSubmit={() => recover.send()}
    >
      <p>{words.recoverText}</p>
      <TextField
        label={words.since}
        type="datetime-local"
        value={text}
        onChange={setText}
        hint={words.sinceHint}
        error={isValid ? undefined : words.tooFar}
      />
      {failed.data !== undefined && held.data !== undefined && (
        <p role="status">{words.recoverCount(failed.data.count, held.data.count)}</p>
      )}
    </Confirm>
  );
}
