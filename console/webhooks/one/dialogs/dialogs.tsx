import { useNavigate } from '@tanstack/react-router';
import { deleteWebhook, rotateSecret, type Webhook, type WebhookOutlook, webhookQuery } from '#console/api/webhooks.ts';
import { useDeletion } from '#console/app/organization/deletion.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { webhookLabel } from '#core/webhooks/label.ts';
import { SecretDialog } from '#console/webhooks/secret/dialog.tsx';
import { useDialogWords } from './dialog-words.ts';
import { EditDialog } from './edit-dialog.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

// As long as the API lets the earlier secret sign (commands/webhooks/webhooks.ts).
const signsAfterMs = 24 * 60 * 60 * 1_000;

/** What a person wants to do with a webhook. */
export type Asked = 'edit' | 'recover' | 'rotate' | 'delete';

interface DialogsProps {
  asked: Asked;
  webhook: Webhook;
  outlook: WebhookOutlook | undefined;
  onClose: () => void;
}

/** The dialog of what is asked for. */
export default function Dialogs({ asked, outlook, ...rest }: DialogsProps) {
  if (asked === 'edit') return <EditDialog {...rest} />;
  if (asked === 'recover') return <RecoverDialog outlook={outlook} {...rest} />;
  return asked === 'rotate' ? <RotateDialog {...rest} /> : <DeleteDialog {...rest} />;
}

function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const words = useDialogWords();
  const format = useFormat();
  const rotate = useChange({
    send: (_input: void, intent) => rotateSecret(webhook.id, intent),
    failed: words.notRotated,
    refresh: [['webhooks']],
  });
  if (rotate.answer !== undefined) {
    const until = new Date(Date.parse(rotate.answer.updatedAt) + signsAfterMs);
    return <SecretDialog secret={rotate.answer.secret} note={words.oldSigns(format.moment(until))} onClose={onClose} />;
  }
  return (
    <Confirm
      title={words.rotateTitle}
      onClose={onClose}
      submitLabel={words.rotateConfirm}
      isPending={rotate.isPending}
      onSubmit={() => rotate.send()}
    >
      <p>{words.rotateText}</p>
    </Confirm>
  );
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const words = useDialogWords();
  const navigate = useNavigate();
  const { id } = webhook;
  const remove = useDeletion(id, {
    send: () => deleteWebhook(id),
    done: words.deleted(webhookLabel(webhook)),
    failed: words.notDeleted,
    query: webhookQuery(id).queryKey,
    leave: () => navigate({ to: '/webhooks' }),
    refresh: [['webhooks']],
  });
  return (
    <Confirm
      title={words.deleteTitle(webhookLabel(webhook))}
      onClose={onClose}
      submitLabel={words.delete}
      isDanger
      isPending={remove.isPending}
      onSubmit={() => remove.mutateOnce()}
    >
      <p>{words.deleteText}</p>
    </Confirm>
  );
}
