import type { ToolItem } from '#console/api/staff.ts';
import { describeAction, Times } from '#console/settings/audit/describe.tsx';
import { useFacts } from '#console/settings/audit/facts.ts';
import { useAuditWords } from '#console/settings/audit/words.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { LogLine } from '#console/ui/list/log-line.tsx';
import { Owner } from './actions.tsx';

/** A line of the audit log. */
export function AuditRow({ line, isOfMany }: { line: ToolItem<'audit.list'>; isOfMany: boolean }) {
  const words = useStaffWords();
  const factsOf = useFacts();
  const { email, actor, caller, action, count, details, at, lastAt, organizationId } = line;
  return (
    <LogLine
      facts={factsOf(details)}
      at={at}
      kind={words.callers[caller]}
      end={organizationId !== null && <Owner id={organizationId} isShown={isOfMany} />}
    >
      <strong>{email ?? actor ?? words.callers[caller]}</strong>{' '}
      <span title={action}>{describeAction(action, useAuditWords(), organizationId === null)}</span>
      {count > 1 && <Times count={count} lastAt={lastAt} />}
    </LogLine>
  );
}
