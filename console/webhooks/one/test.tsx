import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deliveryQuery, testWebhook, type Webhook } from '#console/api/webhooks.ts';
import { useRefusal } from '#console/app/can.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useWebhookPageWords } from './words.ts';

const everyMs = 500;

interface TestButtonProps {
  webhook: Webhook;
  /** Called with the id of the test. */
  onSent: (testId: string) => void;
}

/** Sends a test event. */
export function TestButton({ webhook: { id, isActive }, onSent }: TestButtonProps) {
  const words = useWebhookPageWords();
  const webhookWords = useWebhookWords();
  const refusal = useRefusal('webhooks', 'update');
  const test = useChange({
    send: (_input: void, intent) => testWebhook(id, intent),
    failed: words.testNotSent,
    refresh: [['webhooks']],
    onDone: (sent) => onSent(sent.id),
  });
  const reason = refusal ?? (isActive ? undefined : webhookWords.mustBeOn);
  return (
    <Button icon="play" isPending={test.isPending} refusal={reason} onPress={() => test.send()}>
      {words.test}
    </Button>
  );
}

/** The answer to a test, once it is there. */
export function TestResult({ id, testId }: { id: string; testId: string }) {
  const words = useWebhookPageWords();
  const format = useFormat();
  const answer = useAnswer();
  const { data } = useQuery({
    ...deliveryQuery(id, testId),
    refetchInterval: ({ state }) => ((state.data?.attempts.length ?? 0) === 0 ? everyMs : false),
  });
  const last = data?.attempts.at(-1);
  const isDelivered = data?.status === 'delivered';
  return (
    <div role="status">
      <Notice
        tone={last === undefined ? 'quiet' : isDelivered ? 'good' : 'bad'}
        icon={last === undefined ? 'info' : isDelivered ? 'check' : 'warning'}
      >
        {last === undefined ? words.testSent : words.testDone(answer(last), `${format.number(last.durationMs)} ms`)}{' '}
        <Link to="/webhooks/$id/deliveries/$deliveryId" params={{ id, deliveryId: testId }}>
          {words.showTest}
        </Link>
      </Notice>
    </div>
  );
}
