import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auditCategories, type AuditCategory } from '#core/audit/audit.ts';
import { auditExportAddress, type AuditLine, auditQuery } from '#console/api/audit.ts';
import { allFoldersQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { useCan } from '#console/app/can.ts';
import { rangeOf } from '#console/app/days.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { callerName } from '#console/i18n/nouns.ts';
import { useFormat } from '#console/i18n/format.ts';
import { buttonClass } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Chip, Empty } from '#console/ui/page/states.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import type { AuditSearch } from './search.ts';
import { describeAction, Times } from './describe.tsx';
import { type PlaceNames, useFacts } from './facts.ts';
import { useAuditWords } from './words.ts';
import css from './audit.module.css';
import layout from '#console/ui/page/layout.module.css';
import { DayFields, FilterSelect } from '#console/ui/list/filters.tsx';
import { LogLine } from '#console/ui/list/log-line.tsx';
import { MoreList } from '#console/ui/list/more-list.tsx';

/** /settings/audit */
export default function AuditPage() {
  const words = useAuditWords();
  return (
    <SettingsFrame page="audit">
      {useCan('apiKeys', 'read') ? <AuditLog /> : <Empty icon="lock" title={words.forAdmins} />}
    </SettingsFrame>
  );
}

function AuditLog() {
  const words = useAuditWords();
  const { search, change } = usePageSearch<AuditSearch>();
  const { category, person, since, until } = search;
  const filter = { categories: category, userId: person, ...rangeOf(search) };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Panel title={words.title} heading={null}>
      <p className="quiet">{words.hint}</p>
      <div className={layout.filters} role="group" aria-label={words.category}>
        <FilterSelect<AuditCategory>
          label={words.category}
          all={words.all}
          value={category}
          onChange={(next) => change({ category: next })}
          choices={auditCategories.map((id) => ({ id, label: words.categories[id] }))}
        />
        <DayFields since={since} until={until} onChange={change} />
      </div>
      <p className={layout.actions}>
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
            {words.showAll}
          </Link>
        </p>
      )}
      <MoreList
        query={useInfiniteQuery(auditQuery(filter))}
        itemsOf={(page) => page.data}
        none={<p className="quiet">{words.nothingToShow}</p>}
        rows={6}
      >
        {(lines) => (
          <ol className={layout.rows}>
            {lines.map((line) => (
              <Line key={line.id} line={line} />
            ))}
          </ol>
        )}
      </MoreList>
    </Panel>
  );
}

function Line({ line }: { line: AuditLine }) {
  const words = useAuditWords();
  const format = useFormat();
  const factsOf = useFacts();
  const places = usePlaceNames(line.details);
  const { action, by, count, at, lastAt, category, position, hash, details, subjectId } = line;
  const { name: called, ...rest } = details;
  const to = subjectId === null ? undefined : pageOf(action);
  const subject = typeof called === 'string' ? called : words.open;
  const nameKey = by.client === null ? words.byKey : words.ofKey;
  const shownName = callerName(by.name);
  const name = by.type === 'key' && shownName !== null ? nameKey(shownName) : (shownName ?? words.callers[by.type]);
  return (
    <LogLine
      facts={factsOf(to === undefined ? details : rest, places)}
      at={at}
      kind={words.categories[category]}
      end={
        position !== null && (
          <span role="img" className={css.sealed} title={hash ?? ''} aria-label={words.sealed(format.number(position))}>
            <Icon name="lock" size={14} />
          </span>
        )
      }
    >
      {by.client !== null && `${words.byClient(by.client)} `}
      {by.type === 'member' && by.userId !== null ? (
        <Link
          to="/settings/audit"
          search={{ person: by.userId }}
          title={by.email ?? undefined}
          aria-label={words.showOnly(name)}
        >
          {name}
        </Link>
      ) : (
        name
      )}{' '}
      {describeAction(action, words)}
      {to !== undefined && (
        <>
          {': '}
          <Link to={to} params={{ id: subjectId ?? '' }}>
            {subject}
          </Link>
        </>
      )}
      {count > 1 && <Times count={count} lastAt={lastAt} />}
    </LogLine>
  );
}

/** Names of the folders and domains that the details of a line are about, as far as the organization has them still. */
function usePlaceNames({ folderIds, domainIds }: AuditLine['details']): PlaceNames {
  const { data: folders = [] } = useQuery({ ...allFoldersQuery, enabled: Array.isArray(folderIds) });
  const { data: domains = [] } = useQuery({ ...usableDomainsQuery, enabled: Array.isArray(domainIds) });
  return new Map([
    ...folders.map(({ id, name }) => [id, name] as const),
    ...domains.map(({ id, domain }) => [id, domain] as const),
  ]);
}

/** The page of what an action was about; undefined: it has none, or none any more. */
function pageOf(action: string): '/links/$id' | '/domains/$id' | '/webhooks/$id' | undefined {
  const [kind, what] = action.split('.');
  if (what === 'deleted') return undefined;
  if (kind === 'links') return '/links/$id';
  return kind === 'domain' ? '/domains/$id' : kind === 'webhook' ? '/webhooks/$id' : undefined;
}
