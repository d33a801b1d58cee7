import { useState } from 'react';
import { createWebhook, type WebhookWithSecret } from '#console/api/webhooks.ts';
import { type FieldValues, WebhookFields } from './fields.tsx';
import { useWebhookWords } from './words.ts';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

interface CreateDialogProps {
  /** Called with the new webhook, also where the person has closed the dialog. */
  onMade: (made: WebhookWithSecret) => void;
  onClose: () => void;
}

/** Makes a webhook. */
export function CreateDialog({ onMade, onClose }: CreateDialogProps) {
  const words = useWebhookWords();
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
    leave: onClose,
    onDone: onMade,
  });
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
