import { Suspense, useState } from 'react';
import type { Webhook, WebhookOutlook } from '#console/api/webhooks.ts';
import { useRefusal } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { useTroubleWords } from './trouble-words.ts';
import { useSwitch } from '#console/webhooks/one/use-switch.ts';
import css from '#console/webhooks/webhooks.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { late } from '#console/ui/page/late.tsx';
import { Panel } from '#console/ui/page/panel.tsx';

const Dialogs = late(async () => (await import('#console/webhooks/one/dialogs/dialogs.tsx')).default, 'message');

interface TroubleProps {
  webhook: Webhook;
  outlook: WebhookOutlook;
}

/** Of a webhook that is off: what happened, in order, and the two steps that mend it. Later: what is held still. */
export default function Trouble({ webhook, outlook }: TroubleProps) {
  const words = useTroubleWords();
  const refusal = useRefusal('webhooks', 'update');
  const change = useSwitch(webhook.id);
  const [isRecovering, setRecovering] = useState(false);
  const { isActive } = webhook;
  const recover = (
    <Button
      icon="history"
      refusal={refusal ?? (isActive ? undefined : words.turnOnFirst)}
      onPress={() => setRecovering(true)}
    >
      {words.recover}
    </Button>
  );
  const dialog = isRecovering && (
    <Suspense>
      <Dialogs asked="recover" webhook={webhook} outlook={outlook} onClose={() => setRecovering(false)} />
    </Suspense>
  );
  if (isActive)
    return (
      <Notice tone="warn" icon="warning">
        <div className={css.mend}>
          <p>{words.heldStill(outlook.held)}</p>
          {recover}
        </div>
        {dialog}
      </Notice>
    );
  return (
    <Panel title={words.offTitle}>
      <Story webhook={webhook} outlook={outlook} />
      <h3>{words.mend}</h3>
      <ol className={css.steps}>
        <li>
          <p>{words.first}</p>
          <Button
            variant="primary"
            icon="power"
            isPending={change.isPending}
            refusal={refusal}
            onPress={() => change.send({ isActive: true })}
          >
            {words.turnOn}
          </Button>
        </li>
        <li>
          <p>{words.second}</p>
          {recover}
        </li>
      </ol>
      {dialog}
    </Panel>
  );
}

function Story({ webhook: { disabledAt, disabledReason }, outlook: { lastFailure, held } }: TroubleProps) {
  const words = useTroubleWords();
  const answer = useAnswer();
  const told = [
    ...(lastFailure === null ? [] : [{ at: lastFailure.at, text: words.offLast(answer(lastFailure)) }]),
    ...(disabledAt === null ? [] : [{ at: disabledAt, text: words.offBy[disabledReason ?? 'turned_off'] }]),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <>
      <ol className={css.story}>
        {told.map(({ at, text }) => (
          <li key={text}>
            <Moment at={at} className="quiet" />
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {held > 0 && <p>{words.offHeld(held)}</p>}
    </>
  );
}
