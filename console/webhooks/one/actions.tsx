import { Suspense, useState } from 'react';
import type { Webhook, WebhookOutlook } from '#console/api/webhooks.ts';
import { useRefusal } from '#console/app/can.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useWebhookPageWords } from './words.ts';
import type { Asked } from './dialogs/dialogs.tsx';
import { useSwitch } from './use-switch.ts';
import { late } from '#console/ui/page/late.tsx';

const Dialogs = late(async () => (await import('./dialogs/dialogs.tsx')).default, 'message');

/** Edit, and behind a button all else that can be done with a webhook. */
export function Actions({ webhook, outlook }: { webhook: Webhook; outlook: WebhookOutlook | undefined }) {
  const words = useWebhookPageWords();
  const { mustBeOn } = useWebhookWords();
  const reason = useRefusal('webhooks', 'update');
  const refusedDelete = useRefusal('webhooks', 'delete');
  const [asked, setAsked] = useState<Asked>();
  const change = useSwitch(webhook.id);
  const { isActive, isPaused } = webhook;
  const close = (): void => setAsked(undefined);
  return (
    <>
      <Button icon="edit" refusal={reason} onPress={() => setAsked('edit')}>
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
              onAction: () => setAsked('recover'),
              refusal: reason ?? (isActive ? undefined : mustBeOn),
            },
            {
              id: 'rotate',
              label: words.rotate,
              icon: 'key',
              onAction: () => setAsked('rotate'),
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
              onAction: () => setAsked('delete'),
              refusal: refusedDelete,
            },
          ],
        ]}
      />
      <Suspense>
        {asked !== undefined && <Dialogs asked={asked} webhook={webhook} outlook={outlook} onClose={close} />}
      </Suspense>
    </>
  );
}
