import { scopeKinds } from '#core/webhooks/scope.ts';
import type { Webhook, WebhookOutlook } from '#console/api/webhooks.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useWebhookPageWords } from './words.ts';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { type Fact, Facts } from '#console/ui/page/facts.tsx';

/** How a webhook does and what comes next, as a list of facts. */
export function WebhookFacts({ webhook, outlook }: { webhook: Webhook; outlook: WebhookOutlook }) {
  const words = useWebhookPageWords();
  const { types, events: eventsName } = useWebhookWords();
  const format = useFormat();
  const answer = useAnswer();
  const { url, events, headerNames, scope, maxPerSecond, consecutiveFailures } = webhook;
  const { waiting, held, nextAttemptAt, nextProbeAt, failuresUntilOff, oldSecretUntil, lastFailure, day } = outlook;
  const facts: Fact[] = [
    [words.address, <code key="url">{url}</code>, 'wide'],
    [words.day, words.dayCounts(day.delivered, day.failed)],
    ...(consecutiveFailures === 0 ? [] : [[words.inARow, format.number(consecutiveFailures)] as const]),
    [words.waiting, format.number(waiting)],
  ];
  if (held > 0) facts.push([words.held, format.number(held)]);
  if (nextProbeAt !== null) facts.push([words.nextProbe, <Moment key="probe" at={nextProbeAt} as="soon" />]);
  else if (nextAttemptAt !== null)
    facts.push([words.nextAttempt, <Moment key="attempt" at={nextAttemptAt} as="soon" />]);
  if (failuresUntilOff !== null && consecutiveFailures > 0)
    facts.push([words.untilOff, words.failures(failuresUntilOff)]);
  if (lastFailure !== null)
    facts.push([
      words.lastFailure,
      <>
        {answer(lastFailure)}, <Moment at={lastFailure.at} as="ago" />
      </>,
      'wide',
    ]);
  if (oldSecretUntil !== null) facts.push([words.oldSecret, format.moment(oldSecretUntil)]);
  if (scope !== null)
    facts.push([
      words.scope,
      scopeKinds
        .filter((kind) => scope[kind].length > 0)
        .map((kind) => words.scopes[kind](scope[kind].length))
        .join(', '),
    ]);
  if (maxPerSecond !== null) facts.push([words.pace, words.perSecond(format.number(maxPerSecond))]);
  if (headerNames.length > 0) facts.push([words.headers, headerNames.join(', ')]);
  return (
    <Panel title={words.health}>
      <Facts facts={[...facts, [eventsName, events.map((type) => types[type]).join(', '), 'wide']]} />
    </Panel>
  );
}
