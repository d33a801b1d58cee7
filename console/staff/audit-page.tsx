import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { csvLine } from '#core/imports/csv.ts';
import { auditCallers, type AuditCaller } from '#core/organizations/audit.ts';
import { ask, type ToolInput, type ToolItem } from '#console/api/staff.ts';
import { rangeOf } from '#console/app/days.ts';
import { Button } from '#console/ui/button.tsx';
import { download } from '#console/ui/download.ts';
import { Select, TextField } from '#console/ui/field.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { Filters } from './filters.tsx';
import { StaffFrame } from './frame.tsx';
import { StaffList } from './list.tsx';
import { AuditRow } from './rows/log.tsx';
import type { StaffAuditSearch } from './search.ts';
import { useStaffWords } from './words.ts';

// A choice: a file that a spreadsheet opens, and a hundred calls.
const mostExported = 10_000;
const exportedAtOnce = 100;

/** /staff/audit */
export function StaffAuditPage() {
  const words = useStaffWords();
  const search = useSearch({ from: '/frame/staff/audit' });
  const navigate = useNavigate();
  const [isExporting, setExporting] = useState(false);
  const set = useCallback(
    (next: { [Name in keyof StaffAuditSearch]?: StaffAuditSearch[Name] | undefined }) =>
      void navigate({
        to: '/staff/audit',
        search: (before) => ({ ...before, ...next }),
        replace: true,
      }),
    [navigate],
  );
  const { q, org, caller, since, until } = search;
  const input = { search: q, organizationId: org, caller, ...rangeOf(search) };

  async function save(): Promise<void> {
    setExporting(true);
    try {
      download(new Blob([await exportLines(input)], { type: 'text/csv;charset=utf-8' }), 'audit.csv');
    } catch (error) {
      sayFailed(words.notDone, error);
    }
    setExporting(false);
  }

  return (
    <StaffFrame page="audit">
      <StaffList
        path="audit.list"
        input={input}
        title={words.pages.audit}
        before={
          <>
            <Filters search={search} label={words.searchAudit} onSearch={set}>
              <Select<AuditCaller | 'all'>
                label={words.caller}
                value={caller ?? 'all'}
                onChange={(next) => set({ caller: next === 'all' ? undefined : next })}
                choices={[
                  { id: 'all', label: words.all },
                  ...auditCallers.map((id) => ({ id, label: words.callers[id] })),
                ]}
              />
              <TextField
                label={words.since}
                type="date"
                value={since ?? ''}
                onChange={(day) => set({ since: day === '' ? undefined : day })}
              />
              <TextField
                label={words.until}
                type="date"
                value={until ?? ''}
                onChange={(day) => set({ until: day === '' ? undefined : day })}
              />
            </Filters>
            <div>
              <Button size="small" icon="download" isPending={isExporting} onPress={() => void save()}>
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
