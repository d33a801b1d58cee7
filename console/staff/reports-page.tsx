import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { staffQuery, type ToolItem } from '#console/api/staff.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Switch } from '#console/ui/field.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Failed, Skeleton } from '#console/ui/states.tsx';
import { ReasonDialog } from './dialogs.tsx';
import { Filters } from './filters.tsx';
import { StaffFrame } from './frame.tsx';
import { StaffList } from './list.tsx';
import { Processes } from './rows/ways.tsx';
import type { ReportsSearch } from './search.ts';
import { useChange } from './use-change.ts';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';

/** /staff/reports */
export function StaffReportsPage() {
  const words = useStaffWords();
  const search = useSearch({ from: '/frame/staff/reports' });
  const navigate = useNavigate();
  const set = useCallback(
    (next: { [Name in keyof ReportsSearch]?: ReportsSearch[Name] | undefined }) =>
      void navigate({
        to: '/staff/reports',
        search: (before) => ({ ...before, ...next }),
        replace: true,
      }),
    [navigate],
  );
  const input = { search: search.q, organizationId: search.org, ...(search.show !== 'all' && { isOpen: true }) };
  return (
    <StaffFrame page="reports">
      <StaffList
        path="linkReports.list"
        input={input}
        title={words.pages.reports}
        before={
          <Filters search={search} label={words.searchLinks} onSearch={set}>
            <Switch isSelected={search.show === 'all'} onChange={(isAll) => set({ show: isAll ? 'all' : undefined })}>
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
  const format = useFormat();
  const now = useNow();
  const { id, linkId, organizationId, domain, slug, isActive, reports, reportedAt, closedAt, resolution } = report;
  const name = domain === null || slug === null ? words.goneLink : `${domain}/${slug}`;
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const close = useChange('linkReports.close', words.closed(name));
  const takeDown = useChange('links.takeDown', words.takenDown(name), () => {
    setAsking(false);
    close.mutate({ id, resolution: 'acted' });
  });
  return (
    <li>
      <span className={css.about}>
        <span>
          <strong>{name}</strong> <Chip tone="warn">{words.reportedTimes(reports)}</Chip>{' '}
          {isActive === false && <Chip>{words.off}</Chip>}{' '}
          {resolution !== null && <Chip>{words.resolutions[resolution]}</Chip>}
        </span>
        <span className="quiet" title={format.whole(reportedAt)}>
          {format.ago(reportedAt, now)}
        </span>
        {isOpen && <Notes id={id} />}
      </span>
      <span className={css.actions}>
        <Link className={buttonClass('plain', 'small')} to="/staff/organizations/$id" params={{ id: organizationId }}>
          {words.organization}
        </Link>
        <Processes search={{ ofLink: linkId }} name={name} />
        <Button size="small" aria-expanded={isOpen} aria-label={words.notesOf(name)} onPress={() => setOpen(!isOpen)}>
          {words.notes}
        </Button>
        {closedAt === null && (
          <>
            {slug !== null && (
              <Button
                size="small"
                variant="danger"
                aria-label={words.takeDownOne(name)}
                onPress={() => setAsking(true)}
              >
                {words.takeDown}
              </Button>
            )}
            <Button
              size="small"
              isDisabled={close.isPending}
              aria-label={words.dismissOne(name)}
              onPress={() => close.mutate({ id, resolution: 'dismissed' })}
            >
              {words.dismiss}
            </Button>
          </>
        )}
      </span>
      {isAsking && (
        <ReasonDialog
          title={words.takeDownOne(name)}
          text={words.takeDownText}
          confirmLabel={words.takeDown}
          isDanger
          isPending={takeDown.isPending}
          onConfirm={(reason) => takeDown.mutate({ id: linkId, reason })}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}

/** What visitors wrote. */
function Notes({ id }: { id: string }) {
  const words = useStaffWords();
  const format = useFormat();
  const { data, error, refetch } = useQuery(staffQuery('linkReports.get', { id }));
  if (data === undefined)
    return error === null ? <Skeleton rows={1} /> : <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <ul>
      {data.notes.map(({ at, reason, comment }) => (
        <li key={at}>
          <strong>{words.reasons[reason]}</strong> <span className="quiet">{format.moment(at)}</span>
          {comment !== '' && <> {comment}</>}
        </li>
      ))}
    </ul>
  );
}
