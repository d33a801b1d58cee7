import { lengths } from '#core/lengths.ts';
import { useState } from 'react';
import {
  createTemplate,
  type TemplateFields,
  updateTemplate,
  type UtmTemplate,
} from '#console/api/links/utm-templates.ts';
import { type UtmName, utmNames } from '#console/links/editor/draft.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { setUtm } from '#core/routing/utm.ts';
import { RowForm } from '#console/organize/row-form.tsx';
import { useOrganizeWords } from '#console/organize/words.ts';
import { useTemplateWords } from './words.ts';
import css from './templates.module.css';
import { useChange } from '#console/ui/form/use-change.ts';

interface TemplateFormProps {
  /** The template that changes; undefined: a new one. */
  template: UtmTemplate | undefined;
  /** What a new one begins with. */
  from?: TemplateFields | undefined;
  onClose: () => void;
}

// Its length is seen in the preview.
const example = 'https://example.com/';

/** Name and five values, edited in the place of the row. What was typed stays where the API refuses it. */
export function TemplateForm({ template, from = template, onClose }: TemplateFormProps) {
  const words = useTemplateWords();
  const shownWords = useOrganizeWords();
  const editorWords = useEditorWords();
  const [name, setName] = useState(from?.name ?? '');
  const [values, setValues] = useState<Record<UtmName, string>>(() => textsOf(from));
  const fields: TemplateFields = { name, ...valuesOf(values) };
  const address = setUtm(example, [
    fields.utmSource,
    fields.utmMedium,
    fields.utmCampaign,
    fields.utmTerm,
    fields.utmContent,
  ]);

  const save = useChange({
    send: (_input: void, intent): Promise<unknown> =>
      template === undefined ? createTemplate(fields, intent) : updateTemplate(template.id, changed(template, fields)),
    done: template === undefined ? words.made(name) : shownWords.saved,
    failed: shownWords.notSaved(name),
    fields: ['name', ...utmNames],
    taken: words.taken,
    refresh: [['utm-templates']],
    leave: onClose,
  });

  return (
    <RowForm
      className={css.form}
      label={template === undefined ? words.make : words.editOf(template.name)}
      name={name}
      onName={setName}
      save={save}
      onClose={onClose}
    >
      <div className={css.fields}>
        {utmNames.map((utm) => (
          <TextField
            key={utm}
            label={editorWords.utm[utm]}
            value={values[utm]}
            onChange={(value) => setValues({ ...values, [utm]: value })}
            error={save.issues[utm]}
            maxLength={lengths.utmValue}
          />
        ))}
      </div>
      <p className={css.preview}>
        <span className="quiet">{words.preview}</span>
        <br />
        <code>
          {example}
          <mark>{address.slice(example.length)}</mark>
        </code>
      </p>
    </RowForm>
  );
}

function textsOf(from: TemplateFields | undefined): Record<UtmName, string> {
  return Object.fromEntries(utmNames.map((name) => [name, from?.[name] ?? ''])) as Record<UtmName, string>;
}

function valuesOf(values: Record<UtmName, string>): Record<UtmName, string | null> {
  return Object.fromEntries(utmNames.map((name) => [name, values[name] === '' ? null : values[name]])) as Record<
    UtmName,
    string | null
  >;
}

/** The fields that differ from those of the template. */
function changed(template: UtmTemplate, fields: TemplateFields): Partial<TemplateFields> {
  const names = ['name', ...utmNames] as const;
  return Object.fromEntries(
    names.filter((name) => template[name] !== fields[name]).map((name) => [name, fields[name]]),
  );
}
