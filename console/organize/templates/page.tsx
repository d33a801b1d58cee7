import { useState } from 'react';
import { apiBase } from '#console/api/client.ts';
import {
  deleteTemplate,
  templateListQuery,
  templatesPerPage,
  type UtmTemplate,
} from '#console/api/links/utm-templates.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import type { LabelsSearch } from '#console/organize/search.ts';
import { type RowActions, TablePage } from '#console/organize/table-page.tsx';
import { useOrganizeWords } from '#console/organize/words.ts';
import { utmNames } from '#console/links/editor/draft.ts';
import { lengths } from '#core/lengths.ts';
import { TemplateForm } from './form.tsx';
import { useTemplateWords } from './words.ts';
import css from './templates.module.css';
import shared from '#console/organize/organize.module.css';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { IconButton } from '#console/ui/button.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { useQuery } from '@tanstack/react-query';
import { useRefusal } from '#console/app/can.ts';

/** /utm-templates */
export default function TemplatesPage() {
  const words = useTemplateWords();
  const shownWords = useOrganizeWords();
  const { search } = usePageSearch<LabelsSearch>();
  const { q = '', page = 1 } = search;
  const [deleting, setDeleting] = useState<UtmTemplate>();
  return (
    <>
      <TablePage
        words={words}
        icon="template"
        command={`curl -X POST ${apiBase()}/utm-template -H 'x-api-key: …' \\\n  --json '{"name":"Newsletter","utmSource":"newsletter","utmMedium":"email"}'`}
        query={useQuery(templateListQuery(q, page - 1))}
        perPage={templatesPerPage}
        columns={[{ name: shownWords.name }, { name: words.values }]}
        rowClass={css.template!}
        renderForm={(template, from, onClose) => (
          <TemplateForm
            template={template}
            from={from === undefined ? template : { ...from, name: nameOfCopy(from.name, words.copyMark) }}
            onClose={onClose}
          />
        )}
        renderRow={(template, actions) => (
          <Cells template={template} actions={actions} onDelete={() => setDeleting(template)} />
        )}
      />
      {deleting !== undefined && <DeleteDialog template={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

/** The name with a mark at its end, as long as names may be. */
function nameOfCopy(name: string, mark: string): string {
  const characters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  return `${characters.slice(0, lengths.label - mark.length).join('')}${mark}`;
}

function Cells({ template, actions, onDelete }: { template: UtmTemplate; actions: RowActions; onDelete: () => void }) {
  const words = useTemplateWords();
  const editorWords = useEditorWords();
  const format = useFormat();
  const refusal = {
    create: useRefusal('shortLinks', 'create'),
    update: useRefusal('shortLinks', 'update'),
    delete: useRefusal('shortLinks', 'delete'),
  };
  const values = utmNames.filter((name) => template[name] !== null);
  return (
    <>
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
          label={words.actions(template.name)}
          trigger={<IconButton icon="more" label={words.actions(template.name)} />}
          groups={[
            [
              { id: 'edit', label: words.edit, icon: 'edit', onAction: actions.edit, refusal: refusal.update },
              {
                id: 'copy',
                label: words.duplicate,
                icon: 'duplicate',
                onAction: actions.copy,
                refusal: refusal.create,
              },
            ],
            [
              {
                id: 'delete',
                label: words.delete,
                icon: 'trash',
                isDanger: true,
                onAction: onDelete,
                refusal: refusal.delete,
              },
            ],
          ]}
        />
      </span>
    </>
  );
}

function DeleteDialog({ template: { id, name }, onClose }: { template: UtmTemplate; onClose: () => void }) {
  const words = useTemplateWords();
  return (
    <ConfirmChange
      title={words.deleteTitle(name)}
      onClose={onClose}
      submitLabel={words.delete}
      change={{
        send: () => deleteTemplate(id),
        done: words.deleted(name),
        failed: words.notDeleted(name),
        refresh: [['utm-templates']],
      }}
    >
      <p>{words.deleteText}</p>
    </ConfirmChange>
  );
}
