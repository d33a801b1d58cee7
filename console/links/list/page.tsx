import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { addressOf } from '#console/api/client.ts';
import { allFoldersQuery } from '#console/api/links/labels.ts';
import { linkListQuery, ownChangesQuery } from '#console/api/links/links.ts';
import type { ShortLinkItem } from '#console/api/types.ts';
import { isDialogOpen, useKeys } from '#console/app/keys.ts';
import { setPreferences, usePreferences } from '#console/app/preferences.ts';
import { useTitle } from '#console/app/places/title.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import {
  exportFilters,
  filtersOf,
  lastFilter,
  type LinkSort,
  linkSorts,
  type LinksSearch,
  orderOf,
  readTypedSearch,
} from '#console/links/search.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { copyText } from '#console/ui/text/copy.tsx';
import { useDocumentEvent } from '#console/ui/browser/document-event.ts';
import { Checkbox } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { SearchBox } from '#console/ui/list/search-box.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Pages } from '#console/ui/list/pages.tsx';
import { Empty, Skeleton } from '#console/ui/page/states.tsx';
import type { BulkTask } from './bulk/task-dialog.tsx';
import { FilterChips, FilterMenus } from './filters.tsx';
import { useHeldRows } from './held-rows.ts';
import { Row, type RowAction } from './row.tsx';
import { addRange, countSelected, isSelected, nothing, useSelection } from './selection.ts';
import { FirstMinute } from './start/first-minute.tsx';
import { useRowChange } from './use-row-change.ts';
import { useRowFocus } from './use-row-focus.ts';
import { ViewMenu } from './view-menu.tsx';
import { ViewsMenu } from './views-menu.tsx';
import { late } from '#console/ui/page/late.tsx';
import css from './list.module.css';

const DeleteDialog = late(async () => (await import('./bulk/delete-dialog.tsx')).DeleteDialog, 'message');
const ArchiveDialog = late(async () => (await import('./bulk/archive-dialog.tsx')).ArchiveDialog, 'message');
// Not before something is selected.
const BulkBar = late(async () => (await import('./bulk/bar.tsx')).BulkBar, 'box', <Skeleton height={2.9} />);
const NextSteps = late(async () => (await import('./start/next-steps.tsx')).default, 'box', null);
// Cards of next steps stand below the list as long as it is short.
const newcomerLinks = 10;
const pageSize = 50;
const countsEveryMs = 5_000;
const noFilters = { q: undefined, domain: undefined, folder: undefined, tag: undefined, state: undefined };

/** /links */
export function LinksPage() {
  const words = useLinkWords();
  useTitle(words.links);
  const { search, change } = usePageSearch<LinksSearch>();
  const navigate = useNavigate();
  const changeRow = useRowChange();
  const { linkSort, isDense, hiddenColumns } = usePreferences();
  const sort = search.sort ?? linkSorts.find((one) => one === linkSort) ?? '-createdAt';
  const page = search.page ?? 1;
  const filters = useMemo(() => filtersOf(search), [search]);
  const hasFilters = Object.values(filters).some((filter) => filter !== undefined);
  const options = linkListQuery(filters, { ...orderOf(sort), page: page - 1, limit: pageSize });
  const query = useQuery({ ...options, refetchInterval: countsEveryMs });
  const { data, isPlaceholderData } = query;
  const { data: ownChanges } = useQuery(ownChangesQuery);
  const { data: folders } = useQuery(allFoldersQuery);
  const defaultFolder = folders?.find(({ isDefault }) => isDefault);
  const held = useHeldRows(data, [options.queryKey, ownChanges], isPlaceholderData);
  const { rows } = held;
  const count = data?.count ?? 0;
  const pages = Math.ceil(count / pageSize);
  // The address names a later page than there is, or the links of the last page are gone.
  const isPastEnd = !isPlaceholderData && count > 0 && page > pages;
  useEffect(() => {
    if (isPastEnd) change({ page: pages }, { replace: true });
  }, [isPastEnd, pages, change]);
  const { selection, setSelection, select } = useSelection(rows);
  const focus = useRowFocus(rows);
  const [task, setTask] = useState<BulkTask>();
  const [deleting, setDeleting] = useState<readonly ShortLinkItem[]>();
  const [archiving, setArchiving] = useState<ShortLinkItem>();
  // Whether the page of the first link makes or shows one: the list has a row by then.
  const [isFirst, setFirst] = useState(false);
  const searchFor = useCallback(
    (text: string) => change({ q: undefined, ...readTypedSearch(text, search, { folders, words }) }, { replace: true }),
    [change, search, folders, words],
  );
  // Typed before the folders were read, or in the address.
  useEffect(() => {
    if (folders === undefined || search.q === undefined) return;
    if (readTypedSearch(search.q, {}, { folders, words }).q !== search.q) searchFor(search.q);
  }, [folders, search.q, words, searchFor]);
  const pauseAfter = useCallback((typed: string) => pauseOf(lastFilter(typed, words)), [words]);

  const act = useCallback(
    (action: RowAction, link: ShortLinkItem): void => {
      const { id } = link;
      const url = shownShortUrl(link.originUrl);
      if (action === 'edit') void navigate({ to: '/links/$id/edit', params: { id } });
      else if (action === 'qr') void navigate({ to: '/links/$id/qr', params: { id } });
      else if (action === 'duplicate')
        void navigate({ to: '/links/$id/edit', params: { id }, search: { copy: 'yes' } });
      else if (action === 'delete') setDeleting([link]);
      else if (action === 'power')
        void changeRow(
          link,
          { isActive: !link.isActive },
          link.isActive ? words.switchedOff(url) : words.switchedOn(url),
        );
      else if (action === 'archive' && !link.isArchived) setArchiving(link);
      else if (action === 'archive') void changeRow(link, { isArchived: false }, words.saved);
      else {
        setSelection({ kind: 'rows', ids: new Set([id]) });
        setTask(action);
      }
    },
    [navigate, words, changeRow, setSelection, setArchiving, setDeleting, setTask],
  );
  const onRow = (action: RowAction) => () => focus.row !== undefined && act(action, focus.row);
  const onMany = (bulk: 'tag' | 'move') => () => {
    if (countSelected(selection) > 0) setTask(bulk);
    else onRow(bulk)();
  };
  const selectRow = (isRange: boolean) => () => focus.row !== undefined && select(focus.row.id, isRange);
  const copyRow = async (): Promise<void> => {
    const row = focus.row ?? rows[0];
    if (row !== undefined && (await copyText(row.originUrl))) sayDone(words.copied(row.originUrl));
  };
  useKeys({
    j: focus.next,
    ArrowDown: focus.next,
    k: focus.previous,
    ArrowUp: focus.previous,
    x: selectRow(false),
    'shift+x': selectRow(true),
    e: onRow('edit'),
    q: onRow('qr'),
    y: () => void copyRow(),
    t: onMany('tag'),
    m: onMany('move'),
    o: onRow('power'),
    // Selects every link of the search, those of other pages too.
    'mod+a': () => setSelection({ kind: 'all', count, except: new Set() }),
    Escape: () => {
      if (countSelected(selection) > 0) setSelection(nothing);
      else if (hasFilters) change(noFilters);
    },
  });
  useCopyFromSearch(() => void copyRow());

  const selected = countSelected(selection);
  const isPageSelected = rows.every(({ id }) => isSelected(selection, id));
  const isNewcomer = data !== undefined && !isPlaceholderData && count === 0 && !hasFilters;
  if (isFirst || isNewcomer) return <FirstMinute onFirst={setFirst} />;
  return (
    <div className={css.page}>
      <div className={layout.head}>
        <h1>{words.links}</h1>
        <ViewsMenu search={search} />
        <ViewMenu />
        <a
          className={buttonClass('normal', 'small')}
          href={addressOf('/short-link/export', { query: { ...exportFilters(filters) } })}
          aria-label={words.asCsv}
          download
        >
          <Icon name="download" size={16} />
          <span className="wide-only">{words.asCsv}</span>
        </a>
      </div>
      <div className={`${layout.actions} ${css.bar}`}>
        <SearchBox
          label={words.search}
          placeholder={words.searchHint}
          text={search.q ?? ''}
          onSearch={searchFor}
          pauseMs={pauseAfter}
          rest={(typed) => readTypedSearch(typed, {}, { folders, words }).q ?? ''}
        />
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
        <BulkBar
          selection={selection}
          filters={filters}
          rows={rows}
          count={count}
          task={task}
          onTask={setTask}
          onSelection={setSelection}
          onEnd={focus.restore}
          onDelete={() => setDeleting(rows.filter(({ id }) => isSelected(selection, id)))}
        />
      )}
      <Loaded query={query} rows={8} height={3.75}>
        {() =>
          isPastEnd ? (
            <Skeleton rows={8} height={3.75} />
          ) : rows.length === 0 ? (
            <Empty
              icon="search"
              title={words.nothingTitle}
              action={<Button onPress={() => void navigate({ to: '/links', search: {} })}>{words.clearFilters}</Button>}
            >
              {words.nothingText}
            </Empty>
          ) : (
            <>
              <div className={`quiet small ${css.summary}`}>
                <Checkbox
                  aria-label={words.selectPage}
                  isSelected={isPageSelected}
                  isIndeterminate={selected > 0 && !isPageSelected}
                  onChange={(isOn) => {
                    const ids = rows.map(({ id }) => id);
                    setSelection(isOn ? addRange(nothing, ids) : nothing);
                  }}
                />
                <span role="status">{words.found(count)}</span>
                {held.newCount > 0 && (
                  <Button size="small" icon="arrowUp" onPress={held.show}>
                    {words.newRows(held.newCount)}
                  </Button>
                )}
              </div>
              <ul
                ref={focus.list}
                className={[css.list, isPlaceholderData ? layout.isStale : ''].join(' ')}
                aria-label={words.links}
              >
                {rows.map((link) => (
                  <Row
                    key={link.id}
                    link={link}
                    isSelected={isSelected(selection, link.id)}
                    isFocused={focus.isFocused(link.id)}
                    isDense={search.view === 'dense' || (isDense && search.view === undefined)}
                    isFolderShown={defaultFolder !== undefined && link.folder.id !== defaultFolder.id}
                    hidden={hiddenColumns}
                    onSelect={select}
                    onFocus={focus.onFocus}
                    onAct={act}
                  />
                ))}
              </ul>
              <Pages page={page} pages={pages} onPage={(next) => change({ page: next })} />
              {count <= newcomerLinks && !hasFilters && <NextSteps />}
            </>
          )
        }
      </Loaded>
      {archiving !== undefined && (
        <ArchiveDialog
          count={1}
          onArchive={() => void changeRow(archiving, { isArchived: true }, words.saved)}
          onClose={() => setArchiving(undefined)}
        />
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
    </div>
  );
}

/**
 * How long a search waits after the last key: longer at the end of a filter, which leaves the field, and for ever without its value.
 * @param filter the value of the filter that the text ends in.
 */
function pauseOf(filter: string | undefined): number {
  if (filter === undefined) return 200;
  return filter === '' || /^"[^"]*$/.test(filter) ? Infinity : 1_000;
}

/** Ctrl or Cmd C in the search copies the first link that was found, where no text is marked. */
function useCopyFromSearch(copy: () => void): void {
  useDocumentEvent('copy', (event) => {
    const field = event.target;
    const hasMarked = field instanceof HTMLInputElement && field.selectionStart !== field.selectionEnd;
    if (isDialogOpen() || hasMarked || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    copy();
  });
}
