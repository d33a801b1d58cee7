import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState, lazy, Suspense } from 'react';
import { addressOf } from '#console/api/client.ts';
import { linkListQuery, ownChangesQuery, updateLink } from '#console/api/links.ts';
import type { LinkPage, ShortLinkItem } from '#console/api/types.ts';
import { useKeys } from '#console/app/keys.ts';
import { setPreferences, usePreferences } from '#console/app/preferences.ts';
import { findUnread, parseSearch } from '#console/app/search.ts';
import { useTitle } from '#console/app/title.ts';
import {
  filtersOf,
  linksParameters,
  type LinkSort,
  linkSorts,
  type LinksSearch,
  orderOf,
  readTypedSearch,
} from '#console/links/search.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { copyText } from '#console/ui/copy.tsx';
import { Checkbox, Select } from '#console/ui/field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Menu, type MenuAction } from '#console/ui/menu.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Empty, Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { useUiWords } from '#console/i18n/ui.ts';
import type { BulkTask } from './bulk.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { FilterChips, FilterMenus } from './filters.tsx';
import { FirstMinute } from './first-minute.tsx';
import { useHeldRows } from './held-rows.ts';
import { Row, type RowAction, rowColumns } from './row.tsx';
import { SearchBox, searchId, useCopyFromSearch } from './search-box.tsx';
import { addRange, countSelected, isSelected, nothing, type Selection, toggle } from './selection.ts';
import css from './list.module.css';

// Not before something is selected.
const BulkBar = lazy(() => import('./bulk.tsx').then(({ BulkBar: component }) => ({ default: component })));
const NextSteps = lazy(() => import('./next-steps.tsx'));
// Cards of next steps stand below the list as long as it is short.
const newcomerLinks = 10;
const pageSize = 50;
const countsEveryMs = 5_000;

/** /links */
export function LinksPage() {
  const words = useLinkWords();
  const ui = useUiWords();
  useTitle(words.title);
  const search = useSearch({ from: '/frame/links' });
  const unread = findUnread({ ...linksParameters, new: { read: String } }, parseSearch(useLocation().searchStr));
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { linkSort, isDense, hiddenColumns } = usePreferences();
  const sort = search.sort ?? linkSorts.find((one) => one === linkSort) ?? '-createdAt';
  const page = search.page ?? 1;
  const filters = useMemo(() => filtersOf(search), [search]);
  const hasFilters = Object.keys(filters).length > 0;
  const query = linkListQuery(filters, { ...orderOf(sort), page: page - 1, limit: pageSize });
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...query, refetchInterval: countsEveryMs });
  const { data: ownChanges } = useQuery(ownChangesQuery);
  const held = useHeldRows(data, [query.queryKey, ownChanges], isPlaceholderData);
  const rows = held.rows;
  const count = data?.count ?? 0;
  const [selection, setSelection] = useState<Selection>(nothing);
  const [focused, setFocused] = useState<string>();
  const [task, setTask] = useState<BulkTask>();
  const [deleting, setDeleting] = useState<readonly ShortLinkItem[]>();
  // Held until the person goes on: the list has a row as soon as the first link is made.
  const [isFirst, setFirst] = useState(false);
  const lastSelected = useRef<string>(undefined);
  const list = useRef<HTMLUListElement>(null);

  const change = useCallback(
    (next: Partial<LinksSearch>, { replace = false } = {}) =>
      void navigate({
        to: '/links',
        replace,
        search: (before) => ({ ...before, page: undefined, ...next }),
      }),
    [navigate],
  );

  const select = useCallback(
    (id: string, isRange: boolean) => {
      const ids = rows.map((row) => row.id);
      const from = ids.indexOf(lastSelected.current ?? '');
      const to = ids.indexOf(id);
      lastSelected.current = id;
      setSelection((before) => {
        if (!isRange || from < 0) return toggle(before, id);
        return addRange(before, ids.slice(Math.min(from, to), Math.max(from, to) + 1));
      });
    },
    [rows],
  );

  const act = useCallback(
    (action: RowAction, link: ShortLinkItem) => {
      const { id } = link;
      const url = shownShortUrl(link.originUrl);
      if (action === 'edit') void navigate({ to: '/links/$id/edit', params: { id } });
      else if (action === 'qr') void navigate({ to: '/links/$id/qr', params: { id } });
      else if (action === 'duplicate')
        void navigate({ to: '/links/$id/edit', params: { id }, search: { copy: 'yes' } });
      else if (action === 'delete') setDeleting([link]);
      else if (action === 'tag' || action === 'move') {
        setSelection({ kind: 'rows', ids: new Set([id]) });
        setTask(action);
      } else {
        const patch = action === 'power' ? { isActive: !link.isActive } : { isArchived: !link.isArchived };
        void changeRow(
          link,
          patch,
          action === 'power' ? (link.isActive ? words.switchedOff(url) : words.switchedOn(url)) : words.saved,
        );
      }
    },
    // oxlint-disable-next-line react/exhaustive-deps -- changeRow reads the latest values when it runs
    [navigate, words],
  );

  /** Shows the change at once, and takes it back where the API refuses. */
  async function changeRow(link: ShortLinkItem, patch: Partial<ShortLinkItem>, done: string): Promise<void> {
    const put = (item: ShortLinkItem): void => {
      queries.setQueriesData<LinkPage>({ queryKey: ['links', 'list'] }, (before) =>
        before === undefined
          ? before
          : { ...before, data: before.data.map((row) => (row.id === item.id ? { ...row, ...item } : row)) },
      );
    };
    put({ ...link, ...patch });
    try {
      await updateLink(link.id, patch);
      const back = Object.fromEntries(Object.keys(patch).map((name) => [name, link[name as keyof ShortLinkItem]]));
      sayDone(done, {
        label: words.undo,
        onPress: () => {
          put(link);
          void updateLink(link.id, back).finally(() => void queries.invalidateQueries({ queryKey: ['links'] }));
        },
      });
    } catch (failure) {
      put(link);
      sayFailed(words.notChanged(shownShortUrl(link.originUrl)), failure, {
        label: words.tryAgain,
        onPress: () => void changeRow(link, patch, done),
      });
    }
    void queries.invalidateQueries({ queryKey: ['links'] });
  }

  const focusRow = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    setFocused(row.id);
    list.current?.querySelector<HTMLElement>(`[data-link="${row.id}"] [data-row-link]`)?.focus();
  };
  const at = rows.findIndex(({ id }) => id === focused);
  const onRow = (action: RowAction) => () => {
    const row = rows[at];
    if (row !== undefined) act(action, row);
  };
  const onMany = (bulk: BulkTask) => () => {
    if (countSelected(selection) > 0) setTask(bulk);
    else onRow(bulk as RowAction)();
  };
  const copyRow = async (): Promise<void> => {
    const row = rows[at] ?? rows[0];
    if (row !== undefined && (await copyText(row.originUrl))) sayDone(ui.copied(row.originUrl));
  };
  useKeys({
    '/': () => document.querySelector<HTMLInputElement>(`#${searchId}`)?.focus(),
    j: () => focusRow(at + 1),
    ArrowDown: () => focusRow(at + 1),
    k: () => focusRow(at - 1),
    ArrowUp: () => focusRow(at - 1),
    x: () => rows[at] !== undefined && select(rows[at].id, false),
    'shift+x': () => rows[at] !== undefined && select(rows[at].id, true),
    e: onRow('edit'),
    q: onRow('qr'),
    y: () => void copyRow(),
    t: onMany('tag'),
    m: onMany('move'),
    o: onRow('power'),
    Escape: () => {
      if (countSelected(selection) > 0) setSelection(nothing);
      else if (hasFilters)
        change({
          q: undefined,
          domain: undefined,
          folder: undefined,
          tag: undefined,
          state: undefined,
        });
    },
  });
  useSelectAllKey(() => setSelection({ kind: 'all', count, except: new Set() }));
  useCopyFromSearch(() => void copyRow());

  const selected = countSelected(selection);
  const pages = Math.max(1, Math.ceil(count / pageSize));
  const isNewcomer = data !== undefined && !isPlaceholderData && count === 0 && !hasFilters;
  if (isNewcomer && !isFirst) setFirst(true);
  if (isFirst || isNewcomer) return <FirstMinute onDone={() => setFirst(false)} />;
  return (
    <>
      <div className={css.head}>
        <h1>{words.title}</h1>
        <Menu
          label={words.view}
          trigger={
            <Button size="small" icon="list">
              {words.view}
            </Button>
          }
          groups={[
            [viewAction('dense', words.dense, isDense, () => setPreferences({ isDense: !isDense }))],
            rowColumns.map((column) =>
              viewAction(column, words.columns[column], !hiddenColumns.includes(column), () =>
                setPreferences({
                  hiddenColumns: hiddenColumns.includes(column)
                    ? hiddenColumns.filter((one) => one !== column)
                    : [...hiddenColumns, column],
                }),
              ),
            ),
          ]}
        />
        <a
          className={buttonClass('normal', 'small')}
          href={addressOf('/short-link/export', { query: { ...filters } })}
          download
        >
          <Icon name="download" size={16} />
          {words.export}
        </a>
      </div>
      {unread.length > 0 && <Notice tone="warn">{words.unread(unread.join(', '))}</Notice>}
      <div className={css.bar} role="search">
        <div className={css.searchBox}>
          <SearchBox
            text={search.q ?? ''}
            onSearch={(text) => change(withoutUnset(readTypedSearch(text, search)), { replace: true })}
          />
        </div>
        <FilterMenus search={search} onChange={change} />
        <div className={css.sort}>
          <Select<LinkSort>
            label={words.sort}
            isLabelHidden
            value={sort}
            onChange={(next) => {
              setPreferences({ linkSort: next });
              change({ sort: next });
            }}
            choices={linkSorts.map((id) => ({ id, label: words.sorts[id] }))}
          />
        </div>
      </div>
      <FilterChips search={search} onChange={change} />
      {selected > 0 && (
        <Suspense fallback={<Skeleton height={2.9} />}>
          <BulkBar
            selection={selection}
            filters={filters}
            count={count}
            task={task}
            onTask={setTask}
            onSelection={setSelection}
            onDelete={() => setDeleting(rows.filter(({ id }) => isSelected(selection, id)))}
          />
        </Suspense>
      )}
      {error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={8} height={3.75} />
      ) : rows.length === 0 ? (
        <Empty
          icon="search"
          title={words.nothingTitle}
          action={<Button onPress={() => void navigate({ to: '/links', search: {} })}>{words.clear}</Button>}
        >
          {words.nothingText}
        </Empty>
      ) : (
        <>
          <div className={css.summary}>
            <Checkbox
              aria-label={words.selectPage}
              isSelected={rows.every(({ id }) => isSelected(selection, id))}
              isIndeterminate={selected > 0 && !rows.every(({ id }) => isSelected(selection, id))}
              onChange={(on) =>
                setSelection(
                  on
                    ? addRange(
                        nothing,
                        rows.map(({ id }) => id),
                      )
                    : nothing,
                )
              }
            />
            <span role="status">{words.found(count)}</span>
            {held.newCount > 0 && (
              <Button size="small" icon="arrowUp" onPress={held.show}>
                {words.newRows(held.newCount)}
              </Button>
            )}
          </div>
          <ul
            ref={list}
            className={[css.list, isPlaceholderData ? css.isStale : ''].join(' ')}
            aria-label={words.title}
          >
            {rows.map((link, index) => (
              <Row
                key={link.id}
                link={link}
                isSelected={isSelected(selection, link.id)}
                isFocused={focused === undefined || at < 0 ? index === 0 : focused === link.id}
                isDense={search.view === 'dense' || (isDense && search.view === undefined)}
                hidden={hiddenColumns}
                onSelect={select}
                onFocus={setFocused}
                onAct={act}
              />
            ))}
          </ul>
          {pages > 1 && (
            <nav className={css.pages} aria-label={words.pageOf(page, pages)}>
              <Button size="small" icon="back" isDisabled={page <= 1} onPress={() => change({ page: page - 1 })}>
                {words.previousPage}
              </Button>
              <span className="tabular">{words.pageOf(page, pages)}</span>
              <Button size="small" isDisabled={page >= pages} onPress={() => change({ page: page + 1 })}>
                {words.nextPage}
              </Button>
            </nav>
          )}
          {count <= newcomerLinks && !hasFilters && (
            <Suspense>
              <NextSteps />
            </Suspense>
          )}
        </>
      )}
      {deleting !== undefined && (
        <DeleteDialog
          links={deleting}
          selection={selected > deleting.length ? selection : undefined}
          filters={filters}
          onClose={(isDone) => {
            setDeleting(undefined);
            if (isDone) setSelection(nothing);
          }}
        />
      )}
    </>
  );
}

function viewAction(id: string, label: string, isOn: boolean, onAction: () => void): MenuAction {
  return { id, label, onAction, ...(isOn ? { icon: 'check' as const } : {}) };
}

function withoutUnset(search: LinksSearch): Partial<LinksSearch> {
  return { q: undefined, ...search };
}

/** Ctrl or Cmd A selects all links that were found, where no text is edited. */
function useSelectAllKey(selectAll: () => void): void {
  useKeys({ 'mod+a': selectAll });
}
