import type { Webhook } from '#console/api/webhooks.ts';
import { useRefusal } from '#console/app/can.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useWebhookPageWords } from './words.ts';
import type { Asked } from './dialogs/dialogs.tsx';
import { useSwitch } from './use-switch.ts';

/** Edit, and behind a button all else that can be done with a webhook. */
export function Actions({ webhook, onAsk }: { webhook: Webhook; onAsk: (what: Asked) => void }) {
  const words = useWebhookPageWords();
  const { mustBeOn } = useWebhookWords();
  const reason = useRefusal('webhooks', 'update');
  const refusedDelete = useRefusal('webhooks', 'delete');
  const change = useSwitch(webhook.id);
  const { isActive, isPaused } = webhook;
  return (
    <>
      <Button icon="edit" refusal={reason} onPress={() => onAsk('edit')}>
        {words.edit}
      </Button>
      <Menu
        label={words.more}
        trigger={<IconButton icon="more" label={words.more} />}
        groups={[
          [
            {
              id: 'pause',
              label: isPaused ? words.resume : words.pause,
              icon: isPaused ? 'play' : 'lock',
              onAction: () => change.send({ isPaused: !isPaused }),
              refusal: reason,
            },
            {
              id: 'recover',
              label: words.recover,
              icon: 'history',
              onAction: () => onAsk('recover'),
              refusal: reason ?? (isActive ? undefined : mustBeOn),
            },
            {
              id: 'rotate',
              label: words.rotate,
              icon: 'key',
              onAction: () => onAsk('rotate'),
              refusal: reason,
            },
            {
              id: 'power',
              label: isActive ? words.turnOff : words.turnOn,
              icon: 'power',
              onAction: () => change.send({ isActive: !isActive }),
              refusal: reason,
            },
          ],
          [
            {
              id: 'delete',
              label: words.delete,
              icon: 'trash',
              isDanger: true,
              onAction: () => onAsk('delete'),
              refusal: refusedDelete,
            },
          ],
        ]}
      />
    </>
  );
}
