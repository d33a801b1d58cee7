import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { refusalWords } from '#console/api/refusal.ts';
import { staffQuery } from '#console/api/staff.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { buttonClass, OutLink } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Chip, Notice } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import layout from '#console/ui/page/layout.module.css';
import { Facts } from '#console/ui/page/facts.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { StaffRow } from '#console/staff/list.tsx';

const everyMs = 5_000;
// As /readyz has it: a worker beats every few seconds.
const silentAfterMs = 30_000;

/** /staff */
export default function HealthPage() {
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
  const query = useQuery({ ...staffQuery('system.health', {}), refetchInterval: everyMs });
  if (query.data === undefined)
    return (
      <Loaded query={query} rows={4}>
        {() => null}
      </Loaded>
    );
  const { data } = query;
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
      <Panel title={words.pages.health}>
        <p role="status">
          <Chip tone={data.status === 'ready' ? 'good' : 'bad'} icon={data.status === 'ready' ? 'check' : 'warning'}>
            {data.status === 'ready' ? words.ready : words.degraded}
          </Chip>
        </p>
        {data.degraded.length > 0 && (
          <Notice tone="bad" icon="warning">
            <ul>
              {data.degraded.map((text) => (
                <li key={text}>{words.degradedParts[text] ?? refusalWords(text)}</li>
              ))}
            </ul>
          </Notice>
        )}
        {data.notes.map((text) => (
          <p key={text} className="quiet">
            {refusalWords(text)}
          </p>
        ))}
        <Facts facts={facts} />
        <p className={layout.actions}>
          <Link className={buttonClass()} to="/staff/processes" search={{ run: 'failed' }}>
            {words.failedProcesses}
          </Link>
          {installation.temporalUiUrl !== null && (
            <OutLink href={installation.temporalUiUrl}>{words.openInTemporal}</OutLink>
          )}
        </p>
      </Panel>
      <Panel title={words.workers}>
        {workers.length === 0 ? (
          <p className="quiet">{words.nothingToShow}</p>
        ) : (
          <ul className={layout.rows}>
            {workers.map((worker) => (
              <StaffRow
                key={worker.id}
                lines={[worker.version, words.started(format.ago(worker.startedAt, now))]}
                actions={<span className="quiet">{words.heard(format.ago(worker.heardAt, now))}</span>}
              >
                <strong>{worker.host}</strong>{' '}
                <Chip tone={worker.silentMs < silentAfterMs ? 'good' : 'bad'}>
                  {worker.silentMs < silentAfterMs ? words.alive : words.silent}
                </Chip>
              </StaffRow>
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}
