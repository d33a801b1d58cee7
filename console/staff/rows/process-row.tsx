import { useProcessNames } from '#console/staff/pages/process-words.ts';
import type { ToolItem } from '#console/api/staff.ts';
import { StaffRow } from '#console/staff/list.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import { Owner } from './actions.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import { OutLink } from '#console/ui/button.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { useNow } from '#console/ui/browser/now.ts';

const tones: Readonly<Record<string, 'accent' | 'good' | 'quiet'>> = {
  running: 'accent',
  completed: 'good',
  continued_as_new: 'quiet',
};

/** A process, with its sentence and its page in Temporal. */
export function ProcessRow({ run }: { run: ToolItem<'workflows.list'> }) {
  const words = useStaffWords();
  const { id, summary, displayName, status, state, lastError, nextStep, nextAt, startedAt, closedAt } = run;
  const { organizationIds, url } = run;
  const names = useProcessNames();
  const statuses: Readonly<Record<string, string>> = names.statuses;
  const format = useFormat();
  const now = useNow();
  return (
    <StaffRow
      lines={[
        lastError !== null && <strong key="error">{lastError}</strong>,
        closedAt === null && nextStep !== null && (
          <span key="next">
            {names.next(names.steps[nextStep] ?? nextStep, nextAt === null ? '' : format.relative(nextAt, now))}
          </span>
        ),
        <code key="id">{id}</code>,
        <span key="times" title={format.whole(startedAt)}>
          {words.started(format.ago(startedAt, now))}
          {closedAt !== null && <> · {words.ended(format.ago(closedAt, now))}</>}
        </span>,
      ]}
      actions={
        <>
          {organizationIds[0] !== undefined && <Owner id={organizationIds[0]} isShown />}
          {url !== null && (
            <OutLink href={url} label={words.openInTemporalOne(summary ?? id)} size="small">
              {words.openInTemporal}
            </OutLink>
          )}
        </>
      }
    >
      <strong>{displayName ?? summary ?? id}</strong>{' '}
      {displayName !== null && summary !== null && <span className="quiet">{summary}</span>}{' '}
      <Chip tone={tones[status] ?? 'bad'}>{statuses[status] ?? status}</Chip>{' '}
      {state !== null && state !== status && <Chip>{names.states[state] ?? state}</Chip>}
    </StaffRow>
  );
}
