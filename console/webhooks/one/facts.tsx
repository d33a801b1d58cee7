import type { ReactNode } from 'react';
import { scopeKinds } from '#core/webhooks/scope.ts';
import type { Webhook, WebhookOutlook } from '#console/api/webhooks.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useNow } from '#console/ui/now.ts';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { laterOf } from '#console/webhooks/health.tsx';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useWebhookPageWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';

/** How a webhook does and what comes next, as a list of facts. */
export function Facts({ webhook, outlook }: { webhook: Webhook; outlook: WebhookOutlook }) {
  const words = useWebhookPageWords();
  const { types, events: eventsName } = useWebhookWords();
  const format = useFormat();
  const now = useNow();
  const answer = useAnswer();
  const { url, events, headerNames, scope, maxPerSecond, consecutiveFailures } = webhook;
  const { waiting, held, nextAttemptAt, nextProbeAt, failuresUntilOff, oldSecretUntil, lastFailure, day } = outlook;
  const soon = (moment: string): ReactNode => (
    <time dateTime={moment} title={format.whole(moment)}>
      {format.relative(laterOf(moment, now), now)}
    </time>
  );
  const facts: (readonly [string, ReactNode])[] = [
    [words.address, <code key="url">{url}</code>],
    [words.day, words.dayCounts(day.delivered, day.failed)],
    [words.waiting, format.number(waiting)],
  ];
  if (held > 0) facts.push([words.held, format.number(held)]);
  if (nextProbeAt !== null) facts.push([words.nextProbe, soon(nextProbeAt)]);
  else if (nextAttemptAt !== null) facts.push([words.nextAttempt, soon(nextAttemptAt)]);
  if (failuresUntilOff !== null && consecutiveFailures > 0)
    facts.push([words.untilOff, words.failures(failuresUntilOff)]);
  if (lastFailure !== null)
    facts.push([
      words.lastFailure,
      <>
        {answer(lastFailure)},{' '}
        <time dateTime={lastFailure.at} title={format.whole(lastFailure.at)}>
          {format.ago(lastFailure.at, now)}
        </time>
      </>,
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
    <section className={css.panel} aria-label={words.health}>
      <h2>{words.health}</h2>
      <dl className={css.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div className={css.wide}>
          <dt>{eventsName}</dt>
          <dd>{events.map((type) => types[type]).join(', ')}</dd>
        </div>
      </dl>
    </section>
  );
}
