import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { staffQuery, type ToolItem } from '#console/api/staff.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Switch } from '#console/ui/form/field.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { Filters, StaffList, StaffRow } from '#console/staff/list.tsx';
import type { ReportsSearch } from '#console/staff/search.ts';
import { useTool } from '#console/staff/use-tool.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { Owner, Processes, TakeDown } from '#console/staff/rows/actions.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

/** /staff/reports */
export default function StaffReportsPage() {
  const words = useStaffWords();
  const { search, change } = usePageSearch<ReportsSearch>();
  const input = { search: search.q, organizationId: search.org, ...(search.show !== 'all' && { isOpen: true }) };
  return (
    <StaffFrame page="reports">
      <StaffList
        path="linkReports.list"
        input={input}
        title={words.pages.reports}
        before={
          <Filters label={words.searchLinks}>
            <Switch
              isSelected={search.show === 'all'}
              onChange={(isAll) => change({ show: isAll ? 'all' : undefined })}
            >
              {words.closedToo}
            </Switch>
          </Filters>
        }
      >
        {(report) => <ReportRow key={report.id} report={report} />}
      </StaffList>
    </StaffFrame>
  );
}

function ReportRow({ report }: { report: ToolItem<'linkReports.list'> }) {
  const words = useStaffWords();
  const { id, linkId, organizationId, domain, slug, isActive, reports, reportedAt, closedAt, resolution } = report;
  const name = domain === null || slug === null ? words.goneLink : `${domain}/${slug}`;
  const [isOpen, setOpen] = useState(false);
  const close = useTool('linkReports.close', words.closed(name));
  return (
    <StaffRow
      lines={[<Moment key="at" at={reportedAt} as="ago" />, isOpen && <Notes key="notes" id={id} />]}
      actions={
        <>
          <Owner id={organizationId} isShown />
          <Processes search={{ ofLink: linkId }} name={name} />
          <Button size="small" aria-expanded={isOpen} aria-label={words.notesOf(name)} onPress={() => setOpen(!isOpen)}>
            {words.notes}
          </Button>
          {closedAt === null && (
            <>
              {slug !== null && (
                <TakeDown kind="links" id={linkId} name={name} onDone={() => close.send({ id, resolution: 'acted' })} />
              )}
              <Button
                size="small"
                isPending={close.isPending}
                aria-label={words.dismissOne(name)}
                onPress={() => close.send({ id, resolution: 'dismissed' })}
              >
                {words.dismiss}
              </Button>
            </>
          )}
        </>
      }
    >
      <strong>{name}</strong> <Chip tone="warn">{words.reportedTimes(reports)}</Chip>{' '}
      {isActive === false && <Chip>{words.off}</Chip>}{' '}
      {resolution !== null && <Chip>{words.resolutions[resolution]}</Chip>}
    </StaffRow>
  );
}

/** What visitors wrote. */
function Notes({ id }: { id: string }) {
  const words = useStaffWords();
  const format = useFormat();
  return (
    <Loaded query={useQuery(staffQuery('linkReports.get', { id }))}>
      {({ notes }) => (
        <ul>
          {notes.map(({ at, reason, comment }) => (
            <li key={at}>
              <strong>{words.reasons[reason]}</strong> {format.moment(at)}
              {comment !== '' && <> {comment}</>}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
