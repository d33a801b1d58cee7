import type { Webhook, WebhookOutlook } from '#console/api/webhooks.ts';
import { useRefusal } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { useSwitch } from './use-switch.ts';
import { useWebhookPageWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';

interface TroubleProps {
  webhook: Webhook;
  outlook: WebhookOutlook;
  onRecover: () => void;
}

/** Of a webhook that is off: what happened, in order, and the two steps that mend it. Later: what is held still. */
export function Trouble({ webhook, outlook, onRecover }: TroubleProps) {
  const words = useWebhookPageWords();
  const refusal = useRefusal('webhooks', 'update');
  const answer = useAnswer();
  const change = useSwitch(webhook.id);
  const { isActive, disabledAt, disabledReason } = webhook;
  const { lastFailure, held } = outlook;
  const recover = (
    <Button icon="history" refusal={refusal ?? (isActive ? undefined : words.turnOnFirst)} onPress={onRecover}>
      {words.recover}
    </Button>
  );
  if (isActive)
    return (
      <Notice tone="warn" icon="warning">
        <div className={css.mend}>
          <p>{words.heldStill(held)}</p>
          {recover}
        </div>
      </Notice>
    );
  const told = [
    ...(lastFailure === null ? [] : [{ at: lastFailure.at, text: words.offLast(answer(lastFailure)) }]),
    ...(disabledAt === null ? [] : [{ at: disabledAt, text: words.offBy[disabledReason ?? 'turned_off'] }]),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <Panel title={words.offTitle}>
      <ol className={css.story}>
        {told.map(({ at, text }) => (
          <li key={text}>
            <Moment at={at} className="quiet" />
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {held > 0 && <p>{words.offHeld(held)}</p>}
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
    </Panel>
  );
}
