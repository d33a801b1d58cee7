import { useFieldName } from './field-names.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Activity, type Coming, type Running } from '#console/api/processes.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { Icon } from '#console/ui/icon.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { describeActivity } from './describe.ts';
import { useProcessWords } from './words.ts';
import css from './processes.module.css';
import layout from '#console/ui/page/layout.module.css';

/** What was changed, most recent first. @param isOfOne whether all are about the subject of the page. */
export function PastList({ activities, isOfOne = false }: { activities: readonly Activity[]; isOfOne?: boolean }) {
  const words = useProcessWords();
  const fieldName = useFieldName();
  return (
    <ol className={`${layout.rows} ${css.list}`}>
      {activities.map((activity) => (
        <li key={activity.id}>
          <span>
            <ToSubject subject={isOfOne ? undefined : activity.subject}>
              {describeActivity(activity, words, fieldName)}
            </ToSubject>
          </span>
          <Moment at={activity.at} as="ago" />
        </li>
      ))}
    </ol>
  );
}

/** What runs, with its progress. @param isOfOne whether all are about the subject of the page. */
export function NowList({ running, isOfOne = false }: { running: readonly Running[]; isOfOne?: boolean }) {
  const words = useProcessWords();
  const format = useFormat();
  if (running.length === 0) return <p className="quiet">{words.nothingRuns}</p>;
  return (
    <ul className={`${layout.rows} ${css.list}`}>
      {running.map((one) => {
        const { kind, subject, state, done, total, workflowId } = one;
        const isOver = kind === 'scan' && state !== 'waiting';
        const text = words.states[kind]?.[state] ?? words.runs[kind];
        const progress =
          done === null || total === null || isOver ? undefined : words.of(format.number(done), format.number(total));
        return (
          <li key={`${kind} ${subject.id}`}>
            <span>
              {!isOfOne && <Name of={subject} />}
              {text} <ToTemporal workflowId={workflowId} />
            </span>
            {progress !== undefined && (
              <span className={css.progress}>
                <progress value={done ?? 0} max={Math.max(1, total ?? 1)} aria-label={text} />
                <span className="tabular">{progress}</span>
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** What comes, in the order of time. @param isOfOne whether all are about the subject of the page. */
export function NextList({ coming, isOfOne = false }: { coming: readonly Coming[]; isOfOne?: boolean }) {
  const words = useProcessWords();
  if (coming.length === 0) return <p className="quiet">{words.nothingComes}</p>;
  return (
    <ol className={`${layout.rows} ${css.list}`}>
      {coming.map((one) => (
        <li key={`${one.kind} ${one.subject.id}`}>
          <span>
            {!isOfOne && <Name of={one.subject} />}
            {words.comes[one.kind]}
          </span>
          <Moment at={one.at} as="soon" />
        </li>
      ))}
    </ol>
  );
}

/** The name of a subject, before what is said of it. */
function Name({ of }: { of: Running['subject'] }) {
  const words = useProcessWords();
  return (
    <>
      <ToSubject subject={of}>{of.name ?? words.unnamed[of.type]}</ToSubject>:{' '}
    </>
  );
}

const pages = {
  shortLink: '/links/$id',
  domain: '/domains/$id',
  webhook: '/webhooks/$id',
  import: '/imports/$id',
} as const;

/** A link to the page of a subject that has one. */
function ToSubject({
  subject,
  children,
}: {
  subject: { type: string; id: string | null } | undefined;
  children: ReactNode;
}) {
  const id = subject?.id ?? undefined;
  if (id === undefined) return children;
  const to = pages[subject?.type as keyof typeof pages];
  if (to !== undefined)
    return (
      <Link to={to} params={{ id }}>
        {children}
      </Link>
    );
  if (subject?.type === 'apiKey') return <Link to="/settings/keys">{children}</Link>;
  return children;
}

/** For staff: a link to the process in Temporal. */
function ToTemporal({ workflowId }: { workflowId: string | null }) {
  const words = useProcessWords();
  const { installation } = useSession();
  const base = installation.temporalUiUrl;
  if (workflowId === null || !base) return null;
  const address = `${base.replace(/\/$/, '')}/workflows/${encodeURIComponent(workflowId)}`;
  return (
    <a
      className={css.process}
      href={address}
      target="_blank"
      rel="noreferrer"
      aria-label={words.openProcess(workflowId)}
      title={workflowId}
    >
      <Icon name="external" size={14} />
    </a>
  );
}
