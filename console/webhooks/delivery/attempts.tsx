import type { ReactNode } from 'react';
import type { DeliveryDetail } from '#console/api/webhooks.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { useAnswer } from '#console/webhooks/answer-words.ts';
import { useDeliveryWords } from './words.ts';
import css from './attempts.module.css';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';

type Attempt = DeliveryDetail['attempts'][number];

interface AttemptsProps {
  delivery: DeliveryDetail;
  /** Whether the webhook fails, so that attempts wait for a probe. */
  isFailing: boolean;
  isPaused: boolean;
}

/** The attempts of a delivery, those ahead too, each a row on one axis of time that is to scale. */
export function Attempts({ delivery, isFailing, isPaused }: AttemptsProps) {
  const words = useDeliveryWords();
  const format = useFormat();
  const now = useNow();
  const { attempts, attemptsAhead: ahead, status } = delivery;
  const startMs = Date.parse(attempts[0]?.at ?? delivery.createdAt);
  const endMs = Math.max(...ahead.map(Date.parse), ...attempts.map(endOf), startMs + 1);
  const shareOf = (ms: number): number => Math.min(1, Math.max(0, (ms - startMs) / (endMs - startMs)));
  const isWaiting = status === 'pending';
  return (
    <Panel title={words.attempts}>
      {isWaiting && isFailing && <Notice tone="warn">{words.probes}</Notice>}
      {isWaiting && isPaused && <Notice tone="quiet">{words.paused}</Notice>}
      {attempts.length + ahead.length === 0 && <p className="quiet">{words.noAttempts}</p>}
      <ol className={css.attempts}>
        {attempts.map((attempt, index) => (
          <Made
            key={attempt.at}
            number={index + 1}
            attempt={attempt}
            place={{ from: shareOf(Date.parse(attempt.at)), to: shareOf(endOf(attempt)) }}
          />
        ))}
        {ahead.map((at, index) => {
          const number = attempts.length + index + 1;
          return (
            <li key={number} className={css.later}>
              <span className={css.number}>{words.number(number)}</span>
              <Axis from={shareOf(Date.parse(at))} to={shareOf(Date.parse(at))} kind="later" />
              <span className={css.text}>
                <time dateTime={at} title={format.whole(at)}>
                  {index === 0 ? words.planned(format.soon(at, now)) : words.laterOn(format.moment(at))}
                </time>
              </span>
            </li>
          );
        })}
      </ol>
      {attempts.length + ahead.length > 1 && (
        <div className={css.scale} role="img" aria-label={words.axis}>
          <span>{format.moment(new Date(startMs))}</span>
          <span>{format.moment(new Date(endMs))}</span>
        </div>
      )}
    </Panel>
  );
}

function Made({ number, attempt, place }: { number: number; attempt: Attempt; place: { from: number; to: number } }) {
  const words = useDeliveryWords();
  const format = useFormat();
  const answer = useAnswer();
  const { at, code, durationMs, body } = attempt;
  const isDelivered = code !== null && code >= 200 && code < 300;
  return (
    <li>
      <span className={css.number}>{words.number(number)}</span>
      <Axis {...place} kind={isDelivered ? 'good' : 'bad'} />
      <div className={css.text}>
        <p className={isDelivered ? css.good : css.bad}>{answer(attempt)}</p>
        <p className="quiet">
          <Moment at={at} />
          {' · '}
          {words.duration(format.number(durationMs))}
        </p>
        {body !== null && body !== '' && (
          <details>
            <summary>{words.answer}</summary>
            <pre className={css.answer}>{body}</pre>
          </details>
        )}
      </div>
    </li>
  );
}

/** The place of an attempt in time; the words beside it tell the same. */
function Axis({ from, to, kind }: { from: number; to: number; kind: 'good' | 'bad' | 'later' }): ReactNode {
  return (
    <span className={css.axis} aria-hidden="true">
      <span
        className={[css.dot, css[kind]].join(' ')}
        style={{ insetInlineStart: `${from * 100}%`, inlineSize: `${(to - from) * 100}%` }}
      />
    </span>
  );
}

function endOf({ at, durationMs }: Attempt): number {
  return Date.parse(at) + durationMs;
}
