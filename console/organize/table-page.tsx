import { type ReactNode, useState } from 'react';
import { useListSearch } from '#console/app/places/use-page-search.ts';
import { SearchBox } from '#console/ui/list/search-box.tsx';
import type { Query } from '#console/ui/page/loaded.tsx';
import type { LabelsSearch } from './search.ts';
import { useOrganizeWords } from './words.ts';
import css from './organize.module.css';
import layout from '#console/ui/page/layout.module.css';
import { Button } from '#console/ui/button.tsx';
import { Empty } from '#console/ui/page/states.tsx';
import type { IconName } from '#console/ui/icon.tsx';
import { List } from '#console/ui/list/list.tsx';
import { changeAndFocus } from '#console/ui/browser/focus.ts';
import { useRefusal } from '#console/app/can.ts';
import { useTitle } from '#console/app/places/title.ts';

const makeButtonId = 'make';

/** What is edited: a new thing, which may begin as a copy, or one of the list. */
type Editing<Item> = { kind: 'new'; from?: Item } | { kind: 'change'; id: string };

/** What a row may ask for. */
export interface RowActions {
  edit: () => void;
  copy: () => void;
}

interface TablePageProps<Item> {
  words: { title: string; search: string; make: string; emptyTitle: string; noneTitle: string; noneText: string };
  icon: IconName;
  /** Makes the first one by the API. */
  command: string;
  query: Query<{ data: readonly Item[]; count: number }> & { isPlaceholderData: boolean };
  perPage: number;
  /** Heads of the columns. The last column, of the menu, has none. */
  columns: readonly { name: string; className?: string | undefined }[];
  rowClass: string;
  /** The form of a thing; undefined: a new one, which begins as another one. */
  renderForm: (item: Item | undefined, from: Item | undefined, onClose: () => void) => ReactNode;
  renderRow: (item: Item, actions: RowActions) => ReactNode;
}

/** A page of named things: a search, a button for another one, and a table whose rows are edited in their place. */
export function TablePage<Item extends { id: string }>(props: TablePageProps<Item>) {
  const { words: own, icon, command, query, perPage, columns, rowClass, renderForm, renderRow } = props;
  const words = useOrganizeWords();
  useTitle(own.title);
  const { search, change, searchFor } = useListSearch<LabelsSearch>();
  const { q = '', page = 1 } = search;
  const refusal = useRefusal('shortLinks', 'create');
  const [editing, setEditing] = useState<Editing<Item>>();
  // The focus goes back to where the form was opened.
  const close = (selector: string): void => changeAndFocus(() => setEditing(undefined), selector);
  return (
    <div className={layout.page}>
      <div className={layout.head}>
        <h1>{own.title}</h1>
        <SearchBox label={own.search} text={q} onSearch={searchFor} />
        <Button
          id={makeButtonId}
          variant="primary"
          icon="add"
          refusal={refusal}
          onPress={() => setEditing({ kind: 'new' })}
        >
          {own.make}
        </Button>
      </div>
      {editing?.kind === 'new' && (
        <div key={editing.from?.id} className={layout.list}>
          {renderForm(undefined, editing.from, () => close(`#${makeButtonId}`))}
        </div>
      )}
      <List
        query={query}
        page={page}
        perPage={perPage}
        onPage={(next) => change({ page: next })}
        found={words.found}
        rows={6}
        empty={
          q === '' ? (
            <Empty
              icon={icon}
              title={own.noneTitle}
              command={command}
              action={
                <Button icon="add" refusal={refusal} onPress={() => setEditing({ kind: 'new' })}>
                  {own.make}
                </Button>
              }
            >
              {own.noneText}
            </Empty>
          ) : (
            <NothingFound title={own.emptyTitle} onClear={() => change({ q: undefined })} />
          )
        }
      >
        {(items) => (
          <div className={layout.list} role="table" aria-label={own.title}>
            <div role="row" className={[css.row, rowClass, css.columns].join(' ')}>
              {columns.map(({ name, className }) => (
                <span key={name} role="columnheader" className={className}>
                  {name}
                </span>
              ))}
              <span role="columnheader">
                <span className="visually-hidden">{words.actions(own.title)}</span>
              </span>
            </div>
            {items.map((item) =>
              editing?.kind === 'change' && editing.id === item.id ? (
                <div role="row" key={item.id} className={css.editing}>
                  <div role="cell" aria-colspan={columns.length + 1}>
                    {renderForm(item, undefined, () => close(`[data-row="${CSS.escape(item.id)}"] [aria-haspopup]`))}
                  </div>
                </div>
              ) : (
                <div role="row" key={item.id} className={[css.row, rowClass].join(' ')} data-row={item.id}>
                  {renderRow(item, {
                    edit: () => setEditing({ kind: 'change', id: item.id }),
                    copy: () => setEditing({ kind: 'new', from: item }),
                  })}
                </div>
              ),
            )}
          </div>
        )}
      </List>
    </div>
  );
}

/** In the place of rows that a search does not find. */
export function NothingFound({ title, onClear }: { title: string; onClear: () => void }) {
  const words = useOrganizeWords();
  return <Empty icon="search" title={title} action={<Button onPress={onClear}>{words.clearSearch}</Button>} />;
}
