import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, issuesByPath } from '#console/api/error.ts';
import { createTemplate, type TemplateFields, updateTemplate, type UtmTemplate } from '#console/api/utm-templates.ts';
import { useKeys } from '#console/app/keys.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { type UtmName, utmNames } from '#console/links/editor/draft.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { setUtm } from '#core/routing/utm.ts';
import { useOrganizeWords } from '#console/organize/words.ts';
import { useTemplateWords } from './words.ts';
import css from './templates.module.css';

interface TemplateFormProps {
  /** The template that changes; undefined: a new one. */
  template: UtmTemplate | undefined;
  /** What a new one begins with. */
  from?: TemplateFields | undefined;
  onClose: () => void;
}

// Its length is seen in the preview.
const example = 'https://example.com/';
const longestValue = 255;

/** Name and five values, edited in the place of the row. What was typed stays where the API refuses it. */
export function TemplateForm({ template, from = template, onClose }: TemplateFormProps) {
  const words = useTemplateWords();
  const shownWords = useOrganizeWords();
  const editorWords = useEditorWords();
  const ui = useUiWords();
  const queries = useQueryClient();
  const [name, setName] = useState(from?.name ?? '');
  const [values, setValues] = useState<Record<UtmName, string>>(() => textsOf(from));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [isPending, setPending] = useState(false);
  // One key for this form, so that a double Enter makes one template.
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const fields: TemplateFields = { name, ...valuesOf(values) };
  const address = setUtm(example, [
    fields.utmSource,
    fields.utmMedium,
    fields.utmCampaign,
    fields.utmTerm,
    fields.utmContent,
  ]);

  useKeys({ Escape: onClose });

  async function save(): Promise<void> {
    setPending(true);
    setErrors({});
    try {
      await (template === undefined
        ? createTemplate(fields, intent)
        : updateTemplate(template.id, changed(template, fields)));
      sayDone(template === undefined ? words.made(name) : shownWords.saved);
      onClose();
      await queries.invalidateQueries({ queryKey: ['utm-templates'] });
    } catch (error) {
      setPending(false);
      const isPassing = error instanceof ApiError && error.isPassing;
      // A refused body is another intent than the corrected one; a call whose answer got lost is still the same.
      if (!isPassing) setIntent(crypto.randomUUID());
      const found = issuesByPath(error);
      if (error instanceof ApiError && error.code === 'ALREADY_EXIST') setErrors({ name: words.taken });
      else if (['name', ...utmNames].some((path) => found[path] !== undefined)) setErrors(found);
      else {
        const again = { label: shownWords.tryAgain, onPress: () => void save() };
        sayFailed(shownWords.notSaved(name), error, isPassing ? again : undefined);
      }
    }
  }

  return (
    <form
      className={css.form}
      aria-label={template === undefined ? words.make : words.editOf(template.name)}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!isPending) void save();
      }}
    >
      <TextField
        label={shownWords.name}
        value={name}
        onChange={setName}
        error={errors.name}
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
            error={errors[utm]}
            maxLength={longestValue}
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
      <div className={css.actions}>
        <Button type="submit" variant="primary" isPending={isPending} isDisabled={name.trim() === ''}>
          {ui.save}
        </Button>
        <Button variant="plain" onPress={onClose}>
          {ui.cancel}
        </Button>
      </div>
    </form>
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
