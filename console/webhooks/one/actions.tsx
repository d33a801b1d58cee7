import { lazy, Suspense, useState } from 'react';
import type { Webhook, WebhookOutlook } from '#console/api/webhooks.ts';
import { useCan } from '#console/app/can.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useActionWords } from './action-words.ts';
import type { Asked } from './dialogs.tsx';
import { useChange } from './use-change.ts';

const Dialogs = lazy(() => import('./dialogs.tsx'));

interface ActionsProps {
  webhook: Webhook;
  outlook: WebhookOutlook | undefined;
}

/** Edit, and behind a button all else that can be done with a webhook. */
export function Actions({ webhook, outlook }: ActionsProps) {
  const words = useActionWords();
  const { mustBeOn } = useWebhookWords();
  const ui = useUiWords();
  const canChange = useCan('webhooks', 'update');
  const canDelete = useCan('webhooks', 'delete');
  const [asked, setAsked] = useState<Asked>();
  const change = useChange(webhook.id);
  const { isActive, isPaused } = webhook;
  const reason = canChange ? undefined : ui.notAllowed;
  const close = (): void => setAsked(undefined);
  const line = (isOn: boolean, why: string | undefined) => ({ isDisabled: !isOn, reason: isOn ? undefined : why });
  return (
    <>
      <Button icon="edit" isDisabled={!canChange} hint={reason} onPress={() => setAsked('edit')}>
        {words.edit}
      </Button>
      <Menu
        label={words.more}
        trigger={<Button icon="more">{words.more}</Button>}
        groups={[
          [
            {
              id: 'pause',
              label: isPaused ? words.resume : words.pause,
              icon: isPaused ? 'play' : 'lock',
              onAction: () => change.mutate({ isPaused: !isPaused }),
              ...line(canChange, reason),
            },
            {
              id: 'recover',
              label: words.recover,
              icon: 'history',
              onAction: () => setAsked('recover'),
              ...line(canChange && isActive, reason ?? mustBeOn),
            },
            {
              id: 'rotate',
              label: words.rotate,
              icon: 'key',
              onAction: () => setAsked('rotate'),
              ...line(canChange, reason),
            },
            {
              id: 'power',
              label: isActive ? words.turnOff : words.turnOn,
              icon: 'power',
              onAction: () => change.mutate({ isActive: !isActive }),
              ...line(canChange, reason),
            },
          ],
          [
            {
              id: 'delete',
              label: words.delete,
              icon: 'trash',
              isDanger: true,
              onAction: () => setAsked('delete'),
              ...line(canDelete, ui.notAllowed),
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
