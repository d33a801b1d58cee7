import { lengths } from '#core/lengths.ts';
import { useState } from 'react';
import {
  createTemplate,
  type TemplateFields,
  updateTemplate,
  type UtmTemplate,
} from '#console/api/links/utm-templates.ts';
import { useKeys } from '#console/app/keys.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { type UtmName, utmNames } from '#console/links/editor/draft.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { setUtm } from '#core/routing/utm.ts';
import { useOrganizeWords } from '#console/organize/words.ts';
import { useTemplateWords } from './words.ts';
import css from './templates.module.css';
import layout from '#console/ui/page/layout.module.css';
import { Form } from '#console/ui/form/form.tsx';
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
  const ui = useUiWords();
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

  useKeys({ Escape: onClose });

  const save = useChange({
    send: (_input: void, intent): Promise<unknown> =>
      template === undefined ? createTemplate(fields, intent) : updateTemplate(template.id, changed(template, fields)),
    done: template === undefined ? words.made(name) : shownWords.saved,
    failed: shownWords.notSaved(name),
    fields: ['name', ...utmNames],
    taken: words.taken,
    refresh: [['utm-templates']],
    onDone: onClose,
  });

  return (
    <Form
      className={css.form}
      label={template === undefined ? words.make : words.editOf(template.name)}
      isReady={name.trim() !== '' && !save.isPending}
      onSubmit={save.send}
    >
      <TextField
        label={shownWords.name}
        value={name}
        onChange={setName}
        error={save.issues.name}
        autoFocus
        isMarkedOnFocus
        isRequired
      />
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
      <div className={layout.actions}>
        <Button type="submit" variant="primary" isPending={save.isPending} isDisabled={name.trim() === ''}>
          {ui.save}
        </Button>
        <Button variant="plain" onPress={onClose}>
          {ui.cancel}
        </Button>
      </div>
    </Form>
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
