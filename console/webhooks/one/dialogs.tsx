import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteWebhook, rotateSecret, type Webhook, type WebhookOutlook, webhookQuery } from '#console/api/webhooks.ts';
import { cancelReads, deletionKey } from '#console/app/deletion.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Confirm } from '#console/ui/dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { nameOf } from '#console/webhooks/health.tsx';
import { SecretDialog } from '#console/webhooks/secret/dialog.tsx';
import { useDialogWords } from './dialog-words.ts';
import { EditDialog } from './edit-dialog.tsx';
import { RecoverDialog } from './recover-dialog.tsx';

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
  const queries = useQueryClient();
  const [intent] = useState(() => crypto.randomUUID());
  const rotate = useMutation({
    mutationFn: () => rotateSecret(webhook.id, intent),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
    onError: (error) => sayFailed(words.notRotated, error),
  });
  if (rotate.data !== undefined) {
    const until = new Date(Date.parse(rotate.data.updatedAt) + signsAfterMs);
    return <SecretDialog secret={rotate.data.secret} note={words.oldSigns(format.moment(until))} onClose={onClose} />;
  }
  return (
    <Confirm
      title={words.rotateTitle}
      isOpen
      onClose={onClose}
      confirmLabel={words.rotateConfirm}
      // Not as pending: what announces that would outlive the button, which the secret takes the place of.
      isConfirmDisabled={rotate.isPending}
      onConfirm={() => rotate.mutate()}
    >
      <p>{words.rotateText}</p>
    </Confirm>
  );
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const words = useDialogWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { id } = webhook;
  const remove = useMutation({
    mutationKey: deletionKey(id),
    onMutate: () => cancelReads(queries, id),
    mutationFn: () => deleteWebhook(id),
    onSuccess: async () => {
      sayDone(words.deleted(nameOf(webhook)));
      await navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: webhookQuery(id).queryKey });
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
    onError: (error) => sayFailed(words.notDeleted, error),
  });
  return (
    <Confirm
      title={words.deleteTitle(nameOf(webhook))}
      isOpen
      onClose={onClose}
      confirmLabel={words.delete}
      isDanger
      isConfirmDisabled={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>{words.deleteText}</p>
    </Confirm>
  );
}
