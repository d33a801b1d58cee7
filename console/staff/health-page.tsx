import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { staffQuery } from '#console/api/staff.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import settings from '#console/settings/settings.module.css';
import { buttonClass } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { StaffFrame } from './frame.tsx';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';

const everyMs = 5_000;
// As /readyz has it: a worker beats every few seconds.
const silentAfterMs = 30_000;

/** /staff */
export function HealthPage() {
  return (
    <StaffFrame page="health">
      <Health />
    </StaffFrame>
  );
}

function Health() {
  const words = useStaffWords();
  const format = useFormat();
  const now = useNow();
  const { installation } = useSession();
  const { data, error, refetch } = useQuery({ ...staffQuery('system.health', {}), refetchInterval: everyMs });
  if (data === undefined)
    return error === null ? <Skeleton rows={4} /> : <Failed error={error} onRetry={() => void refetch()} />;
  const { outbox, workers, versions } = data;
  const seconds = (ms: number): string => words.seconds(format.number(Math.round(ms / 100) / 10));
  const facts = [
    [words.waiting, format.number(outbox.waiting)],
    [words.parked, format.number(outbox.parked)],
    [words.oldest, seconds(outbox.oldestMs)],
    [words.journalLag, seconds(data.journalLagMs ?? 0)],
    ['Waymark', versions.waymark],
    ['Node', versions.node],
    ['PostgreSQL', versions.database],
    ['Temporal', versions.temporal ?? words.unreachable],
    [words.schema, versions.schema],
  ] as const;
  return (
    <>
      <section className={settings.panel} aria-label={words.pages.health}>
        <h2>{words.pages.health}</h2>
        <p role="status">
          <Chip tone={data.status === 'ready' ? 'good' : 'bad'} icon={data.status === 'ready' ? 'check' : 'warning'}>
            {data.status === 'ready' ? words.ready : words.degraded}
          </Chip>
        </p>
        {data.degraded.length > 0 && (
          <Notice tone="bad" icon="warning">
            <ul>
              {data.degraded.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </Notice>
        )}
        {data.notes.map((text) => (
          <p key={text} className="quiet">
            {text}
          </p>
        ))}
        <dl className={css.facts}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="tabular">{value}</dd>
            </div>
          ))}
        </dl>
        <p className={css.actions}>
          <Link className={buttonClass()} to="/staff/processes" search={{ run: 'failed' }}>
            {words.failedProcesses}
          </Link>
          {installation.temporalUiUrl !== null && (
            <a className={buttonClass()} href={installation.temporalUiUrl} target="_blank" rel="noreferrer">
              <Icon name="external" />
              {words.openInTemporal}
            </a>
          )}
        </p>
      </section>
      <section className={settings.panel} aria-label={words.workers}>
        <h2>{words.workers}</h2>
        {workers.length === 0 ? (
          <p className="quiet">{words.none}</p>
        ) : (
          <ul className={css.rows}>
            {workers.map((worker) => (
              <li key={worker.id}>
                <span className={css.about}>
                  <span>
                    <strong>{worker.host}</strong>{' '}
                    <Chip tone={worker.silentMs < silentAfterMs ? 'good' : 'bad'}>
                      {worker.silentMs < silentAfterMs ? words.alive : words.silent}
                    </Chip>
                  </span>
                  <span className="quiet">{words.started(format.ago(worker.startedAt, now))}</span>
                </span>
                <span className="quiet">{words.heard(format.ago(worker.heardAt, now))}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
