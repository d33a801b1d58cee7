import { lazy, Suspense, useState } from 'react';
import type { Webhook, WebhookOutlook } from '#console/api/webhooks.ts';
import { useCan } from '#console/app/can.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Notice } from '#console/ui/states.tsx';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { useTroubleWords } from './trouble-words.ts';
import { useChange } from './use-change.ts';
import css from '#console/webhooks/webhooks.module.css';

const Dialogs = lazy(() => import('./dialogs.tsx'));

interface TroubleProps {
  webhook: Webhook;
  outlook: WebhookOutlook;
}

/** Of a webhook that is off: what happened, in order, and the two steps that mend it. Later: what is held still. */
export default function Trouble({ webhook, outlook }: TroubleProps) {
  const words = useTroubleWords();
  const ui = useUiWords();
  const canChange = useCan('webhooks', 'update');
  const change = useChange(webhook.id);
  const [isRecovering, setRecovering] = useState(false);
  const { isActive } = webhook;
  const why = canChange ? undefined : ui.notAllowed;
  const recover = (
    <Button
      icon="history"
      isDisabled={!canChange || !isActive}
      hint={why ?? (isActive ? undefined : words.turnOnFirst)}
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
    <section className={css.panel} aria-label={words.offTitle}>
      <h2>{words.offTitle}</h2>
      <Story webhook={webhook} outlook={outlook} />
      <h3>{words.mend}</h3>
      <ol className={css.steps}>
        <li>
          <p>{words.first}</p>
          <Button
            variant="primary"
            icon="power"
            isDisabled={!canChange || change.isPending}
            hint={why}
            onPress={() => change.mutate({ isActive: true })}
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
    </section>
  );
}

function Story({ webhook: { disabledAt, disabledReason }, outlook: { lastFailure, held } }: TroubleProps) {
  const words = useTroubleWords();
  const format = useFormat();
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
            <time className="quiet" dateTime={at} title={format.whole(at)}>
              {format.moment(at)}
            </time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {held > 0 && <p>{words.offHeld(held)}</p>}
    </>
  );
}
