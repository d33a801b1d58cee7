import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import { deleteTemplate, templateListQuery, templatesPerPage, type UtmTemplate } from '#console/api/utm-templates.ts';
import { useCan } from '#console/app/can.ts';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { utmNames } from '#console/links/editor/draft.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import { makeButtonId, menuOf, PastEnd, SearchBox } from '#console/organize/search-box.tsx';
import { Pages } from '#console/ui/pages.tsx';
import type { LabelsSearch } from '#console/organize/search.ts';
import { useOrganizeWords } from '#console/organize/words.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { changeAndFocus } from '#console/ui/focus.ts';
import { Menu } from '#console/ui/menu.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import shared from '#console/organize/organize.module.css';
import { TemplateForm } from './form.tsx';
import { useTemplateWords } from './words.ts';
import css from './templates.module.css';

// As the API has it.
const longestName = 30;

/** What is edited: a template, a new one, or a copy. */
type Editing = { kind: 'new' } | { kind: 'copy'; of: UtmTemplate } | { kind: 'change'; id: string };

/** /utm-templates */
export function TemplatesPage() {
  const words = useTemplateWords();
  const shownWords = useOrganizeWords();
  const ui = useUiWords();
  useTitle(words.title);
  const { q = '', page = 1 } = useSearch({ from: '/frame/utm-templates' });
  const navigate = useNavigate();
  const change = useCallback(
    (search: LabelsSearch, replace: boolean) => void navigate({ to: '/utm-templates', search, replace }),
    [navigate],
  );
  const searchFor = useCallback((text: string) => change(text === '' ? {} : { q: text }, true), [change]);
  const { data, error, isPlaceholderData, refetch } = useQuery(templateListQuery(q, page - 1));
  const [editing, setEditing] = useState<Editing>();
  const [deleting, setDeleting] = useState<UtmTemplate>();
  const canCreate = useCan('shortLinks', 'create');
  const close = (selector: string): void => changeAndFocus(() => setEditing(undefined), selector);
  return (
    <div className={shared.page}>
      <div className={shared.head}>
        <h1>{words.title}</h1>
        <SearchBox label={words.search} text={q} onSearch={searchFor} />
        <Button
          id={makeButtonId}
          variant="primary"
          icon="add"
          isDisabled={!canCreate}
          hint={canCreate ? undefined : ui.notAllowed}
          onPress={() => setEditing({ kind: 'new' })}
        >
          {words.make}
        </Button>
      </div>
      {(editing?.kind === 'new' || editing?.kind === 'copy') && (
        <div className={css.new}>
          <TemplateForm
            key={editing.kind === 'copy' ? editing.of.id : 'new'}
            template={undefined}
            from={
              editing.kind === 'copy' ? { ...editing.of, name: nameOfCopy(editing.of.name, words.copyMark) } : undefined
            }
            onClose={() => close(`#${makeButtonId}`)}
          />
        </div>
      )}
      {error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={6} height={3} />
      ) : data.data.length === 0 && data.count > 0 ? (
        <PastEnd onBack={() => change(q === '' ? {} : { q }, false)} />
      ) : data.data.length === 0 ? (
        <NoTemplates isSearch={q !== ''} onClear={() => change({}, false)} />
      ) : (
        <>
          <p className="quiet" role="status">
            {shownWords.found(data.count)}
          </p>
          <div
            className={[shared.table, isPlaceholderData ? shared.isStale : ''].join(' ')}
            role="table"
            aria-label={words.title}
          >
            <div role="row" className={[css.row, shared.columns].join(' ')}>
              <span role="columnheader">{shownWords.name}</span>
              <span role="columnheader">{words.values}</span>
              <span role="columnheader">
                <span className="visually-hidden">{shownWords.actions(words.title)}</span>
              </span>
            </div>
            {data.data.map((template) =>
              editing?.kind === 'change' && editing.id === template.id ? (
                <div role="row" key={template.id} className={shared.editing}>
                  <div role="cell" aria-colspan={3}>
                    <TemplateForm template={template} onClose={() => close(menuOf(template.id))} />
                  </div>
                </div>
              ) : (
                <Row
                  key={template.id}
                  template={template}
                  onEdit={() => setEditing({ kind: 'change', id: template.id })}
                  onCopy={() => setEditing({ kind: 'copy', of: template })}
                  onDelete={() => setDeleting(template)}
                />
              ),
            )}
          </div>
          <Pages
            page={page}
            pages={Math.ceil(data.count / templatesPerPage)}
            onPage={(next) => change({ ...(q === '' ? {} : { q }), page: next }, false)}
          />
        </>
      )}
      {deleting !== undefined && <DeleteDialog template={deleting} onClose={() => setDeleting(undefined)} />}
    </div>
  );
}

/** The name with a mark at its end, as long as names may be. */
function nameOfCopy(name: string, mark: string): string {
  const characters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  return `${characters.slice(0, longestName - mark.length).join('')}${mark}`;
}

interface RowProps {
  template: UtmTemplate;
  onEdit: () => void;
  onCopy: () => void;
  onDelete: () => void;
}

function Row({ template, onEdit, onCopy, onDelete }: RowProps) {
  const words = useTemplateWords();
  const shownWords = useOrganizeWords();
  const editorWords = useEditorWords();
  const ui = useUiWords();
  const format = useFormat();
  const may = {
    create: useCan('shortLinks', 'create'),
    update: useCan('shortLinks', 'update'),
    delete: useCan('shortLinks', 'delete'),
  };
  const entry = (action: keyof typeof may, onAction: () => void) => ({
    onAction,
    isDisabled: !may[action],
    reason: may[action] ? undefined : ui.notAllowed,
  });
  const values = utmNames.filter((name) => template[name] !== null);
  return (
    <div role="row" className={css.row} data-row={template.id}>
      <span role="cell" className={css.name} title={format.whole(template.createdAt)}>
        {template.name}
      </span>
      <span role="cell" className={css.values}>
        {values.map((name) => (
          <span key={name}>
            <span className="quiet">{editorWords.utm[name]}: </span>
            {template[name]}
          </span>
        ))}
        {values.length === 0 && <span className="quiet">{words.noValues}</span>}
      </span>
      <span role="cell" className={shared.end}>
        <Menu
          label={shownWords.actions(template.name)}
          trigger={<IconButton icon="more" label={shownWords.actions(template.name)} />}
          groups={[
            [
              { id: 'edit', label: words.edit, icon: 'edit', ...entry('update', onEdit) },
              { id: 'copy', label: words.duplicate, icon: 'duplicate', ...entry('create', onCopy) },
            ],
            [{ id: 'delete', label: shownWords.delete, icon: 'trash', isDanger: true, ...entry('delete', onDelete) }],
          ]}
        />
      </span>
    </div>
  );
}

function DeleteDialog({ template: { id, name }, onClose }: { template: UtmTemplate; onClose: () => void }) {
  const words = useTemplateWords();
  const shownWords = useOrganizeWords();
  const queries = useQueryClient();
  const [isPending, setPending] = useState(false);

  async function remove(): Promise<void> {
    setPending(true);
    try {
      await deleteTemplate(id);
      sayDone(words.deleted(name));
    } catch (error) {
      sayFailed(words.notDeleted(name), error, { label: shownWords.tryAgain, onPress: () => void remove() });
    }
    onClose();
    await queries.invalidateQueries({ queryKey: ['utm-templates'] });
  }

  return (
    <Confirm
      title={words.deleteTitle(name)}
      isOpen
      onClose={onClose}
      confirmLabel={shownWords.delete}
      isDanger
      isPending={isPending}
      onConfirm={() => void remove()}
    >
      <p>{words.deleteText}</p>
    </Confirm>
  );
}

function NoTemplates({ isSearch, onClear }: { isSearch: boolean; onClear: () => void }) {
  const words = useTemplateWords();
  const shownWords = useOrganizeWords();
  if (isSearch)
    return (
      <Empty
        icon="search"
        title={words.emptyTitle}
        action={<Button onPress={onClear}>{shownWords.clearSearch}</Button>}
      />
    );
  const command = `curl -X POST ${apiBase()}/utm-template -H 'x-api-key: …' \\\n  --json '{"name":"Newsletter","utmSource":"newsletter","utmMedium":"email"}'`;
  return (
    <Empty icon="template" title={words.noneTitle} command={command}>
      {words.noneText}
    </Empty>
  );
}
