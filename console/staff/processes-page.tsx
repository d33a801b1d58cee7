import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Select, TextField } from '#console/ui/field.tsx';
import { Chip } from '#console/ui/states.tsx';
import { Filters } from './filters.tsx';
import { StaffFrame } from './frame.tsx';
import { StaffList } from './list.tsx';
import { ProcessRow } from './rows/log.tsx';
import { type ProcessesSearch, processKinds, processStatuses } from './search.ts';
import { useStaffWords } from './words.ts';

const statePattern = /^[A-Za-z-]{1,40}$/;

/** /staff/processes */
export function StaffProcessesPage() {
  const words = useStaffWords();
  const search = useSearch({ from: '/frame/staff/processes' });
  const navigate = useNavigate();
  const set = useCallback(
    (next: { [Name in keyof ProcessesSearch]?: ProcessesSearch[Name] | undefined }) =>
      void navigate({
        to: '/staff/processes',
        search: (before) => ({ ...before, ...next }),
        replace: true,
      }),
    [navigate],
  );
  const {
    q,
    org,
    process: kind,
    run: status,
    step: state,
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
          <Filters search={search} label={words.searchProcesses} onSearch={set}>
            <Select<(typeof processKinds)[number] | 'all'>
              label={words.kind}
              value={kind ?? 'all'}
              onChange={(next) => set({ process: next === 'all' ? undefined : next })}
              choices={[{ id: 'all', label: words.all }, ...processKinds.map((id) => ({ id, label: words.kinds[id] }))]}
            />
            <Select<(typeof processStatuses)[number] | 'all'>
              label={words.status}
              value={status ?? 'all'}
              onChange={(next) => set({ run: next === 'all' ? undefined : next })}
              choices={[
                { id: 'all', label: words.all },
                ...processStatuses.map((id) => ({ id, label: words.statuses[id] })),
              ]}
            />
            <TextField
              label={words.state}
              value={state ?? ''}
              maxLength={40}
              onChange={(next) => set({ step: next === '' ? undefined : next })}
            />
            {subject !== undefined && (
              <span>
                <Chip>{words.ofOneSubject}</Chip>{' '}
                <Link to="/staff/processes" search={{}}>
                  {words.everywhere}
                </Link>
              </span>
            )}
          </Filters>
        }
      >
        {(run) => <ProcessRow key={run.runId} run={run} />}
      </StaffList>
    </StaffFrame>
  );
}
