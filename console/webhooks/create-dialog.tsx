import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createWebhook } from '#console/api/webhooks.ts';
import { type FieldValues, WebhookFields } from './fields.tsx';
import { SecretDialog } from './secret/dialog.tsx';
import { useWebhookWords } from './words.ts';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

/** Makes a webhook, then shows its secret once and leads to its page. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const words = useWebhookWords();
  const navigate = useNavigate();
  // Clicks are many: they are sent where a person asks for them.
  const [values, setValues] = useState<FieldValues>({
    url: '',
    name: '',
    events: ['link.created', 'link.updated', 'link.deleted'],
  });
  const create = useChange({
    send: (_input: void, intent) => {
      const { url, name, events } = values;
      return createWebhook({ url: url.trim(), events, name: name.trim() === '' ? null : name.trim() }, intent);
    },
    failed: words.notCreated,
    fields: ['url', 'name', 'events'],
    refresh: [['webhooks']],
  });
  const made = create.answer;

  if (made !== undefined)
    return (
      <SecretDialog
        secret={made.secret}
        onClose={() => void navigate({ to: '/webhooks/$id', params: { id: made.id } })}
      />
    );
  return (
    <FormDialog
      title={words.add}
      onClose={onClose}
      submitLabel={words.create}
      isReady={values.url.trim() !== '' && values.events.length > 0}
      isPending={create.isPending}
      onSubmit={create.send}
    >
      <WebhookFields
        values={values}
        issues={create.issues}
        onChange={(change) => setValues((before) => ({ ...before, ...change }))}
      />
    </FormDialog>
  );
}
