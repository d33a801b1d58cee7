import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { type LabelKind, labelsPerPage } from '#console/api/labels.ts';
import { apiBase } from '#console/api/client.ts';
import type { Folder, Tag } from '#console/api/types.ts';
import { useCan } from '#console/app/can.ts';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import type { LinksSearch } from '#console/links/search.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { changeAndFocus } from '#console/ui/focus.ts';
import { Menu } from '#console/ui/menu.tsx';
import { Chip, Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { DeleteLabelDialog } from './delete-dialog.tsx';
import { LabelForm } from './form.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { makeButtonId, menuOf, PastEnd, SearchBox } from '#console/organize/search-box.tsx';
import { Pages } from '#console/ui/pages.tsx';
import type { LabelsSearch } from '#console/organize/search.ts';
import { Swatch, useColorName } from './swatch.tsx';
import { useLabels } from './use-labels.ts';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';

type Label = Folder | Tag;

/** /folders */
export function FoldersPage() {
  const search = useSearch({ from: '/frame/folders' });
  const navigate = useNavigate();
  const change = useCallback(
    (next: LabelsSearch, replace: boolean) => void navigate({ to: '/folders', search: next, replace }),
    [navigate],
  );
  return <LabelsPage kind="folder" search={search} onSearch={change} />;
}

/** /tags */
export function TagsPage() {
  const search = useSearch({ from: '/frame/tags' });
  const navigate = useNavigate();
  const change = useCallback(
    (next: LabelsSearch, replace: boolean) => void navigate({ to: '/tags', search: next, replace }),
    [navigate],
  );
  return <LabelsPage kind="tag" search={search} onSearch={change} />;
}

interface LabelsPageProps {
  kind: LabelKind;
  search: LabelsSearch;
  onSearch: (search: LabelsSearch, replace: boolean) => void;
}

function LabelsPage({ kind, search: { q = '', page = 1 }, onSearch }: LabelsPageProps) {
  const words = useOrganizeWords();
  const ui = useUiWords();
  const own = words[kind];
  useTitle(own.title);
  const canCreate = useCan('shortLinks', 'create');
  const { data, error, isPlaceholderData, refetch } = useLabels(kind, q, { page: page - 1, withCounts: true });
  const [editing, setEditing] = useState<string>();
  const [deleting, setDeleting] = useState<Label>();
  const [merging, setMerging] = useState<Label>();
  const rows: readonly Label[] = data?.data ?? [];
  const searchFor = useCallback((text: string) => onSearch(text === '' ? {} : { q: text }, true), [onSearch]);
  const close = (selector: string): void => changeAndFocus(() => setEditing(undefined), selector);
  const make = (
    <Button
      id={makeButtonId}
      variant="primary"
      icon="add"
      isDisabled={!canCreate}
      hint={canCreate ? undefined : ui.notAllowed}
      onPress={() => setEditing('new')}
    >
      {own.make}
    </Button>
  );
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{own.title}</h1>
        <SearchBox label={own.search} text={q} onSearch={searchFor} />
        {make}
      </div>
      {editing === 'new' && <LabelForm kind={kind} label={undefined} onClose={() => close(`#${makeButtonId}`)} />}
      {error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={6} height={3} />
      ) : rows.length === 0 && data.count > 0 ? (
        <PastEnd onBack={() => onSearch(q === '' ? {} : { q }, false)} />
      ) : rows.length === 0 ? (
        <NoLabels kind={kind} isSearch={q !== ''} onClear={() => onSearch({}, false)} />
      ) : (
        <>
          <p className="quiet" role="status">
            {words.found(data.count)}
          </p>
          <div
            className={[css.table, isPlaceholderData ? css.isStale : ''].join(' ')}
            role="table"
            aria-label={own.title}
          >
            <div role="row" className={[css.row, css.columns].join(' ')}>
              <span role="columnheader">{words.name}</span>
              <span role="columnheader" className={css.wide}>
                {words.color}
              </span>
              <span role="columnheader" className={css.number}>
                {words.links}
              </span>
              <span role="columnheader" className={css.wide}>
                {words.made}
              </span>
              <span role="columnheader">
                <span className="visually-hidden">{words.actions(own.title)}</span>
              </span>
            </div>
            {rows.map((label) =>
              editing === label.id ? (
                <div role="row" key={label.id} className={css.editing}>
                  <div role="cell" aria-colspan={5}>
                    <LabelForm kind={kind} label={label} onClose={() => close(menuOf(label.id))} />
                  </div>
                </div>
              ) : (
                <Row
                  key={label.id}
                  kind={kind}
                  label={label}
                  onEdit={() => setEditing(label.id)}
                  onMerge={() => setMerging(label)}
                  onDelete={() => setDeleting(label)}
                />
              ),
            )}
          </div>
          <Pages
            page={page}
            pages={Math.ceil(data.count / labelsPerPage)}
            onPage={(next) => onSearch({ ...(q === '' ? {} : { q }), page: next }, false)}
          />
        </>
      )}
      {deleting !== undefined && (
        <DeleteLabelDialog kind={kind} label={deleting} onClose={() => setDeleting(undefined)} />
      )}
      {merging !== undefined && <MergeDialog kind={kind} label={merging} onClose={() => setMerging(undefined)} />}
    </div>
  );
}

interface RowProps {
  kind: LabelKind;
  label: Label;
  onEdit: () => void;
  onMerge: () => void;
  onDelete: () => void;
}

function Row({ kind, label, onEdit, onMerge, onDelete }: RowProps) {
  const words = useOrganizeWords();
  const ui = useUiWords();
  const format = useFormat();
  const colorName = useColorName();
  const navigate = useNavigate();
  const canUpdate = useCan('shortLinks', 'update');
  const canDelete = useCan('shortLinks', 'delete');
  const isDefault = isDefaultFolder(label);
  const links = linksSearchOf(kind, label);
  return (
    <div role="row" className={css.row} data-row={label.id}>
      <span role="cell" className={css.name}>
        <Swatch color={label.color} />
        <Link to="/links" search={links}>
          {label.name}
        </Link>
        {isDefault && <Chip>{words.isDefault}</Chip>}
      </span>
      <span role="cell" className={[css.wide, 'quiet'].join(' ')}>
        {colorName(label.color)}
      </span>
      <span role="cell" className={css.number}>
        {label.links === undefined ? '' : format.number(label.links)}
      </span>
      <span role="cell" className={[css.wide, 'quiet'].join(' ')}>
        <time dateTime={label.createdAt} title={format.whole(label.createdAt)}>
          {format.day(label.createdAt)}
        </time>
      </span>
      <span role="cell" className={css.end}>
        <Menu
          label={words.actions(label.name)}
          trigger={<IconButton icon="more" label={words.actions(label.name)} />}
          groups={[
            [
              {
                id: 'links',
                label: words.showLinks,
                icon: 'link',
                onAction: () => void navigate({ to: '/links', search: links }),
              },
              {
                id: 'edit',
                label: words.rename,
                icon: 'edit',
                onAction: onEdit,
                isDisabled: !canUpdate,
                reason: canUpdate ? undefined : ui.notAllowed,
              },
              {
                id: 'merge',
                label: words[kind].merge,
                icon: 'move' as const,
                onAction: onMerge,
                isDisabled: isDefault || !canUpdate || !canDelete,
                reason: isDefault ? words.staysDefault : canUpdate && canDelete ? undefined : ui.notAllowed,
              },
            ],
            [
              {
                id: 'delete',
                label: words.delete,
                icon: 'trash',
                isDanger: true,
                onAction: onDelete,
                isDisabled: isDefault || !canDelete,
                reason: isDefault ? words.staysDefault : canDelete ? undefined : ui.notAllowed,
              },
            ],
          ]}
        />
      </span>
    </div>
  );
}

function NoLabels({ kind, isSearch, onClear }: { kind: LabelKind; isSearch: boolean; onClear: () => void }) {
  const words = useOrganizeWords();
  const own = words[kind];
  if (isSearch)
    return (
      <Empty icon="search" title={own.emptyTitle} action={<Button onPress={onClear}>{words.clearSearch}</Button>} />
    );
  const command = `curl -X POST ${apiBase()}/${kind} -H 'x-api-key: …' \\\n  --json '{"name":"Spring"}'`;
  return (
    <Empty icon={kind} title={own.noneTitle} command={command}>
      {own.noneText}
    </Empty>
  );
}

function isDefaultFolder(label: Label): boolean {
  return 'isDefault' in label && label.isDefault;
}

/** The list of links of a label. Tags go by name, as the list's filters do. */
function linksSearchOf(kind: LabelKind, label: Label): LinksSearch {
  return kind === 'folder' ? { folder: [label.id] } : { tag: [label.name] };
}
