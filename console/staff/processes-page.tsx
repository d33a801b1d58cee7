import { useProcessNames } from './process-words.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { Filters } from './filters.tsx';
import { StaffFrame } from './frame.tsx';
import { StaffList } from './list.tsx';
import { ProcessRow } from './rows/log.tsx';
import { type ProcessesSearch, processKinds, processStatuses } from './search.ts';
import { useStaffWords } from './words.ts';
import { Everywhere } from '#console/staff/filters.tsx';
import { FilterSelect } from '#console/ui/list/filters.tsx';
import { usePageSearch } from '#console/app/use-page-search.ts';
import { useUiWords } from '#console/i18n/ui.ts';

const statePattern = /^[A-Za-z-]{1,40}$/;

/** /staff/processes */
export function StaffProcessesPage() {
  const words = useStaffWords();
  const names = useProcessNames();
  const ui = useUiWords();
  const { search, change } = usePageSearch<ProcessesSearch>();
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
          <Filters search={search} label={words.searchProcesses} onSearch={change}>
            <FilterSelect
              label={words.kind}
              all={ui.all}
              value={kind}
              onChange={(next) => change({ process: next })}
              choices={processKinds.map((id) => ({ id, label: names.kinds[id] }))}
            />
            <FilterSelect
              label={words.status}
              all={ui.all}
              value={status}
              onChange={(next) => change({ run: next })}
              choices={processStatuses.map((id) => ({ id, label: names.statuses[id] }))}
            />
            <TextField
              label={words.state}
              value={state ?? ''}
              maxLength={40}
              onChange={(next) => change({ step: next === '' ? undefined : next })}
            />
            {subject !== undefined && <Everywhere text={words.ofOneSubject} />}
          </Filters>
        }
      >
        {(run) => <ProcessRow key={run.runId} run={run} />}
      </StaffList>
    </StaffFrame>
  );
}
