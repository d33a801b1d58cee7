import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deliveriesQuery, recoverWebhook, type Webhook, type WebhookOutlook } from '#console/api/webhooks.ts';
import { Confirm } from '#console/ui/dialog.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useDialogWords } from './dialog-words.ts';

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
  const queries = useQueryClient();
  const { id, createdAt, disabledAt } = webhook;
  const [openedMs] = useState(() => Date.now());
  const [text, setText] = useState(() => {
    const troubleAt = disabledAt ?? outlook?.failingSince ?? outlook?.lastFailure?.at;
    const troubleMs = troubleAt === undefined ? openedMs : Date.parse(troubleAt);
    return localText(Math.max(troubleMs - backMs, Date.parse(createdAt) - minuteMs, openedMs - keptMs + 5 * minuteMs));
  });
  // Without a time zone: a moment in that of the person.
  const sinceMs = Date.parse(text);
  const isValid = sinceMs <= openedMs && sinceMs > openedMs - keptMs;
  const since = isValid ? new Date(sinceMs).toISOString() : undefined;
  const failed = useQuery({ ...deliveriesQuery(id, { status: 'failed', since }, 0, 1), enabled: isValid });
  const held = useQuery({ ...deliveriesQuery(id, { status: 'held', since }, 0, 1), enabled: isValid });
  const recover = useMutation({
    mutationFn: () => recoverWebhook(id, since ?? '', crypto.randomUUID()),
    onSuccess: async () => {
      sayDone(words.recovered);
      onClose();
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
    onError: (error) => sayFailed(words.notRecovered, error),
  });
  return (
    <Confirm
      title={words.recoverTitle}
      isOpen
      onClose={onClose}
      confirmLabel={words.recoverConfirm}
      isConfirmDisabled={!isValid || recover.isPending}
      onConfirm={() => recover.mutate()}
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

/** A moment as a field of date and time has it, in the person's time zone. */
function localText(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}
