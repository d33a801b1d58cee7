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
  const scopes = scope === null ? [] : scopeKinds.filter((kind) => scope[kind].length > 0);
  const facts: Fact[] = [
    [words.address, <code key="url">{url}</code>, 'wide'],
    [words.day, words.dayCounts(day.delivered, day.failed)],
    [words.inARow, consecutiveFailures > 0 ? format.number(consecutiveFailures) : null],
    [words.waiting, format.number(waiting)],
    [words.held, held > 0 ? format.number(held) : null],
    nextProbeAt === null
      ? [words.nextAttempt, nextAttemptAt && <Moment key="attempt" at={nextAttemptAt} as="soon" />]
      : [words.nextProbe, <Moment key="probe" at={nextProbeAt} as="soon" />],
    [words.untilOff, failuresUntilOff !== null && consecutiveFailures > 0 ? words.failures(failuresUntilOff) : null],
    [
      words.lastFailure,
      lastFailure && (
        <>
          {answer(lastFailure)}, <Moment at={lastFailure.at} as="ago" />
        </>
      ),
      'wide',
    ],
    [words.oldSecret, oldSecretUntil && format.moment(oldSecretUntil)],
    [words.scope, scope && scopes.map((kind) => words.scopes[kind](scope[kind].length)).join(', ')],
    [words.pace, maxPerSecond && words.perSecond(format.number(maxPerSecond))],
    [words.headers, headerNames.length > 0 ? headerNames.join(', ') : null],
    [eventsName, events.map((type) => types[type]).join(', '), 'wide'],
  ];
  return (
    <Panel title={words.health}>
      <Facts facts={facts} />
    </Panel>
  );
}
