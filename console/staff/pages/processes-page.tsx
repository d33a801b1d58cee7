import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { staffQuery } from '#console/api/staff.ts';
import { buttonClass, OutLink } from '#console/ui/button.tsx';
import layout from '#console/ui/page/layout.module.css';
import { useProcessNames } from './process-words.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { Everywhere, Filters, StaffList } from '#console/staff/list.tsx';
import { ProcessRow } from '#console/staff/rows/process-row.tsx';
import { type ProcessesSearch, processKinds, processStatuses } from '#console/staff/search.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { FilterSelect } from '#console/ui/list/filters.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

const statePattern = /^[A-Za-z-]{1,40}$/;

/** /staff/processes */
export default function StaffProcessesPage() {
  const words = useStaffWords();
  const names = useProcessNames();
  const { search, change } = usePageSearch<ProcessesSearch>();
  const {
    q,
    org,
    process: kind,
    run: status,
    step: state,
    show: view,
    ofLink: link,
    ofDomain: domain,
    ofWebhook: webhook,
  } = search;
  const subject = link ?? domain ?? webhook;
  const input = {
    search: q,
    organizationId: org,
    type: kind,
    status,
    view,
    state: state !== undefined && statePattern.test(state) ? state : undefined,
    linkId: link,
    domainId: domain,
    webhookId: webhook,
  };
  return (
    <StaffFrame page="processes">
      <StaffList
        path="workflows.list"
        input={input}
        title={words.pages.processes}
        before={
          <>
            <Views shown={view} />
            <Filters label={words.searchProcesses}>
              <FilterSelect
                label={words.kind}
                all={words.all}
                value={kind}
                onChange={(next) => change({ process: next })}
                choices={processKinds.map((id) => ({ id, label: names.kinds[id] }))}
              />
              <FilterSelect
                label={words.status}
                all={words.all}
                value={status}
                onChange={(next) => change({ run: next })}
                choices={processStatuses.map((id) => ({ id, label: names.statuses[id] }))}
              />
              <TextField
                label={words.state}
                value={state === undefined ? '' : (names.states[state] ?? state)}
                maxLength={40}
                onChange={(next) => change({ step: next === '' ? undefined : readState(next, names.states) })}
              />
              {subject !== undefined && <Everywhere text={words.ofOneSubject} />}
            </Filters>
          </>
        }
      >
        {(run) => <ProcessRow key={run.runId} run={run} />}
      </StaffList>
    </StaffFrame>
  );
}

/** A state as processes are found by it: its name in the person's language stands for it. */
function readState(text: string, states: Readonly<Record<string, string>>): string {
  return Object.entries(states).find(([, name]) => name.toLowerCase() === text.toLowerCase())?.[0] ?? text;
}

const everyMs = 30_000;

/** What operators look at first, with counts, and the same list in the Temporal UI, which saves it under its name. */
function Views({ shown }: { shown: ProcessesSearch['show'] }) {
  const names = useProcessNames();
  const words = useStaffWords();
  const { data } = useQuery({ ...staffQuery('workflows.views', {}), refetchInterval: everyMs });
  return (
    <nav className={layout.actions} aria-label={words.pages.processes}>
      {(data ?? []).map(({ id, count, url }) => (
        <span key={id} className={layout.actions}>
          <Link
            className={buttonClass(id === shown ? 'primary' : 'normal', 'small')}
            to="."
            search={id === shown ? {} : { show: id }}
            aria-current={id === shown}
          >
            {names.views[id]} {count}
          </Link>
          {url !== null && (
            <OutLink href={url} label={words.openInTemporalOne(names.views[id])} variant="plain" size="small" />
          )}
        </span>
      ))}
    </nav>
  );
}
