import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { auditCategories, type AuditCategory } from '#core/organizations/audit.ts';
import { auditExportAddress, auditQuery, type AuditLine } from '#console/api/audit.ts';
import { useCan } from '#console/app/can.ts';
import { rangeOf } from '#console/app/days.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Select, TextField } from '#console/ui/field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useNow } from '#console/ui/now.ts';
import { Chip, Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import settings from '#console/settings/settings.module.css';
import type { AuditSearch } from './search.ts';
import { useAuditWords } from './words.ts';
import css from './audit.module.css';

/** /settings/audit */
export function AuditPage() {
  const words = useAuditWords();
  return (
    <SettingsFrame page="audit">
      {useCan('apiKeys', 'read') ? <AuditLog /> : <Empty icon="lock" title={words.forAdmins} />}
    </SettingsFrame>
  );
}

function AuditLog() {
  const words = useAuditWords();
  const search = useSearch({ from: '/frame/settings/audit' });
  const navigate = useNavigate();
  const { category, person, since, until } = search;
  const filter = { categories: category, userId: person, ...rangeOf(search) };
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(auditQuery(filter));
  const set = (next: { [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined }): void =>
    void navigate({
      to: '/settings/audit',
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined)),
    });
  const lines = data?.pages.flatMap((page) => page.data);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <section className={settings.panel} aria-label={words.title}>
      <p className="quiet">{words.hint}</p>
      <div className={css.filters} role="group" aria-label={words.category}>
        <Select<AuditCategory | 'all'>
          label={words.category}
          value={category ?? 'all'}
          onChange={(next) => set({ category: next === 'all' ? undefined : next })}
          choices={[
            { id: 'all', label: words.all },
            ...auditCategories.map((id) => ({ id, label: words.categories[id] })),
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
      </div>
      <p className={css.exports}>
        {(['csv', 'json'] as const).map((format) => (
          <a key={format} className={buttonClass('normal', 'small')} href={auditExportAddress(filter, format)} download>
            <Icon name="download" size={16} />
            {format === 'csv' ? words.asCsv : words.asJson}
          </a>
        ))}
      </p>
      {isFiltered && (
        <p>
          {person !== undefined && <Chip>{words.ofPerson}</Chip>}{' '}
          <Link to="/settings/audit" search={{}}>
            {words.clear}
          </Link>
        </p>
      )}
      {lines === undefined ? (
        error === null ? (
          <Skeleton rows={6} />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : lines.length === 0 ? (
        <p className="quiet">{words.none}</p>
      ) : (
        <ol className={css.lines}>
          {lines.map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <div>
          <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {words.more}
          </Button>
        </div>
      )}
    </section>
  );
}

function Line({ line }: { line: AuditLine }) {
  const words = useAuditWords();
  const format = useFormat();
  const now = useNow();
  const { action, by, count, lastAt, category, position, hash } = line;
  const name = by.type === 'key' && by.name !== null ? words.byKey(by.name) : (by.name ?? words.callers[by.type]);
  const facts = Object.entries(line.details).flatMap(([fact, value]) => factOf(fact, value));
  return (
    <li>
      <span>
        {by.type === 'member' && by.userId !== null ? (
          <Link
            to="/settings/audit"
            search={{ person: by.userId }}
            title={by.email ?? undefined}
            aria-label={words.only(name)}
          >
            {name}
          </Link>
        ) : (
          name
        )}{' '}
        {words.actions[action] ?? (action.startsWith('view.') ? words.looked(action.slice(5)) : <code>{action}</code>)}
        {count > 1 && <> · {words.times(count)}</>}
        {facts.length > 0 && (
          <>
            <br />
            <span className="quiet">{facts.join(' · ')}</span>
          </>
        )}
      </span>
      <span className={css.when}>
        <Chip>{words.categories[category]}</Chip>
        <time dateTime={lastAt} title={format.whole(lastAt)}>
          {format.ago(lastAt, now)}
        </time>
        {position !== null && (
          <span role="img" className={css.sealed} title={hash ?? ''} aria-label={words.sealed(format.number(position))}>
            <Icon name="lock" size={14} />
          </span>
        )}
      </span>
    </li>
  );
}

/** A fact in a few words: texts and numbers as they are, lists of them, nothing deeper. The client of a sign-in is a keyed hash. */
function factOf(fact: string, value: unknown): string[] {
  if (fact === 'client' || value === null) return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${fact}: ${value.map(String).join(', ')}`];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
  return [fact === 'name' ? String(value) : `${fact}: ${value}`];
}
