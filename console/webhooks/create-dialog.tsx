import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useRef, useState } from 'react';
import { issuesByPath } from '#console/api/error.ts';
import { createWebhook, type WebhookWithSecret } from '#console/api/webhooks.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { type FieldValues, WebhookFields } from './fields.tsx';
import { SecretDialog } from './secret/dialog.tsx';
import { useWebhookWords } from './words.ts';
import css from './webhooks.module.css';

const fields = ['url', 'name', 'events'];

/** Makes a webhook, then shows its secret once and leads to its page. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const words = useWebhookWords();
  const ui = useUiWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const formId = useId();
  // Clicks are many: they are sent where a person asks for them.
  const [values, setValues] = useState<FieldValues>({
    url: '',
    name: '',
    events: ['link.created', 'link.updated', 'link.deleted'],
  });
  const [issues, setIssues] = useState<Record<string, string>>({});
  const [isPending, setPending] = useState(false);
  const [made, setMade] = useState<WebhookWithSecret>();
  const intent = useRef(crypto.randomUUID());

  async function create(): Promise<void> {
    setPending(true);
    setIssues({});
    try {
      const { url, name, events } = values;
      const draft = { url: url.trim(), events, name: name.trim() === '' ? null : name.trim() };
      setMade(await createWebhook(draft, intent.current));
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
    } catch (error) {
      intent.current = crypto.randomUUID();
      const wrong = issuesByPath(error);
      if (fields.some((field) => wrong[field] !== undefined)) setIssues(wrong);
      else sayFailed(words.notCreated, error, { label: words.tryAgain, onPress: () => void create() });
    }
    setPending(false);
  }

  if (made !== undefined)
    return (
      <SecretDialog
        secret={made.secret}
        onClose={() => void navigate({ to: '/webhooks/$id', params: { id: made.id } })}
      />
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void create();
  };
  return (
    <Dialog
      title={words.add}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button variant="plain" onPress={onClose}>
            {ui.cancel}
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            // Not as pending: what announces that would outlive the button, which the secret takes the place of.
            isDisabled={isPending || values.url.trim() === '' || values.events.length === 0}
          >
            {words.create}
          </Button>
        </>
      }
    >
      <form id={formId} className={css.form} onSubmit={submit}>
        <WebhookFields
          values={values}
          issues={issues}
          onChange={(change) => {
            setValues((before) => ({ ...before, ...change }));
            setIssues({});
          }}
        />
      </form>
    </Dialog>
  );
}
