import type { ToolItem } from '#console/api/staff.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useStaffWords } from '#console/staff/words.ts';
import css from '#console/staff/staff.module.css';
import { buttonClass } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip } from '#console/ui/states.tsx';
import { Owner } from './ways.tsx';

/** A process, with its sentence and its page in Temporal. */
export function ProcessRow({ run }: { run: ToolItem<'workflows.list'> }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const tone =
    run.status === 'running'
      ? 'accent'
      : run.status === 'completed'
        ? 'good'
        : run.status === 'continued_as_new'
          ? 'quiet'
          : 'bad';
  return (
    <li>
      <span className={css.about}>
        <span>
          <strong>{run.summary ?? run.id}</strong>{' '}
          <Chip tone={tone}>{words.statuses[run.status as keyof typeof words.statuses] ?? run.status}</Chip>{' '}
          {run.state !== null && <Chip>{run.state}</Chip>}
        </span>
        <code className="quiet">{run.id}</code>
        <span className="quiet" title={format.whole(run.startedAt)}>
          {words.started(format.ago(run.startedAt, now))}
          {run.closedAt !== null && <> · {words.ended(format.ago(run.closedAt, now))}</>}
        </span>
      </span>
      <span className={css.actions}>
        {run.organizationIds.slice(0, 1).map((id) => (
          <Owner key={id} id={id} isShown />
        ))}
        {run.url !== null && (
          <a
            className={buttonClass('normal', 'small')}
            href={run.url}
            target="_blank"
            rel="noreferrer"
            aria-label={words.openInTemporalOne(run.summary ?? run.id)}
          >
            <Icon name="external" size={16} />
            {words.openInTemporal}
          </a>
        )}
      </span>
    </li>
  );
}

/** A line of the audit log. */
export function AuditRow({ line, isOfMany }: { line: ToolItem<'audit.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const facts = Object.entries(line.details).flatMap(([fact, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [`${fact}: ${value}`] : [],
  );
  return (
    <li>
      <span className={css.about}>
        <span>
          <strong>{line.email ?? line.actor ?? words.callers[line.caller]}</strong> <code>{line.action}</code>
          {line.count > 1 && <> · {words.times(line.count)}</>}
        </span>
        {facts.length > 0 && <span className="quiet">{facts.join(' · ')}</span>}
      </span>
      <span className={css.actions}>
        <Chip>{words.callers[line.caller]}</Chip>
        <time className="quiet" dateTime={line.lastAt} title={format.whole(line.lastAt)}>
          {format.ago(line.lastAt, now)}
        </time>
        {line.organizationId !== null && <Owner id={line.organizationId} isShown={isOfMany} />}
      </span>
    </li>
  );
}
