import { csvLine } from '#core/csv/csv.ts';
import { type AuditCaller, auditCallers } from '#core/audit/audit.ts';
import { ask, type ToolInput, type ToolItem } from '#console/api/staff.ts';
import { rangeOf } from '#console/app/days.ts';
import { Button } from '#console/ui/button.tsx';
import { download } from '#console/ui/browser/download.ts';
import { useChange } from '#console/ui/form/use-change.ts';
import { StaffFrame } from '#console/staff/frame.tsx';
import { Filters, StaffList } from '#console/staff/list.tsx';
import { AuditRow } from '#console/staff/rows/audit-row.tsx';
import type { StaffAuditSearch } from '#console/staff/search.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { DayFields, FilterSelect } from '#console/ui/list/filters.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

// A spreadsheet opens such a file, and it takes a hundred calls.
const mostExported = 10_000;
const exportedAtOnce = 100;

/** /staff/audit */
export default function StaffAuditPage() {
  const words = useStaffWords();
  const { search, change } = usePageSearch<StaffAuditSearch>();
  const { q, org, caller, since, until } = search;
  const input = { search: q, organizationId: org, caller, ...rangeOf(search) };

  const save = useChange({
    send: () => exportLines(input),
    failed: words.notDone,
    onDone: (csv) => download(new Blob([csv], { type: 'text/csv;charset=utf-8' }), 'audit.csv'),
  });
  return (
    <StaffFrame page="audit">
      <StaffList
        path="audit.list"
        input={input}
        title={words.pages.audit}
        before={
          <>
            <Filters label={words.searchAudit}>
              <FilterSelect<AuditCaller>
                label={words.caller}
                all={words.all}
                value={caller}
                onChange={(next) => change({ caller: next })}
                choices={auditCallers.map((id) => ({ id, label: words.callers[id] }))}
              />
              <DayFields since={since} until={until} onChange={change} />
            </Filters>
            <div>
              <Button size="small" icon="download" isPending={save.isPending} onPress={() => save.send()}>
                {words.asCsv}
              </Button>
            </div>
          </>
        }
      >
        {(line) => <AuditRow key={line.id} line={line} isOfMany />}
      </StaffList>
    </StaffFrame>
  );
}

/** The lines of a filter as CSV, the latest first, at most ten thousand. */
async function exportLines(input: NonNullable<ToolInput<'audit.list'>>): Promise<string> {
  const lines: ToolItem<'audit.list'>[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask('audit.list', { ...input, cursor, limit: exportedAtOnce });
    lines.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && lines.length < mostExported);
  const head = [
    'id',
    'at',
    'lastAt',
    'count',
    'caller',
    'userId',
    'email',
    'actor',
    'action',
    'organizationId',
    'subjectId',
    'details',
  ] as const;
  const cellOf = (value: unknown): string | null =>
    typeof value === 'string' ? value : value === null ? null : JSON.stringify(value);
  return [[...head], ...lines.map((line) => head.map((name) => cellOf(line[name])))].map(csvLine).join('');
}
