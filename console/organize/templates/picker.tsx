import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { templateListQuery, type UtmTemplate } from '#console/api/links/utm-templates.ts';
import { type UtmName, utmNames } from '#console/links/editor/draft.ts';
import { ComboBox } from '#console/ui/form/list-field.tsx';
import { useTemplateWords } from './words.ts';

/** Chooses a template by its name; nothing where the organization has none. @param onPick gets the values that the template has. */
export function TemplatePicker({ onPick }: { onPick: (values: Partial<Record<UtmName, string>>) => void }) {
  const words = useTemplateWords();
  const [text, setText] = useState('');
  const [picked, setPicked] = useState<UtmTemplate>();
  const search = text === picked?.name ? '' : text.trim();
  const { data } = useQuery(templateListQuery(search));
  const templates = data?.data ?? [];
  if (templates.length === 0 && text === '') return null;

  function pick(template: UtmTemplate): void {
    setText(template.name);
    setPicked(template);
    onPick(
      Object.fromEntries(
        utmNames.flatMap((name): [UtmName, string][] => (template[name] === null ? [] : [[name, template[name]]])),
      ),
    );
  }

  const typed = templates.find(({ name }) => name.toLowerCase() === search.toLowerCase());
  return (
    <ComboBox
      label={words.pick}
      hint={words.pickHint}
      text={text}
      onText={setText}
      chosen={picked?.id ?? null}
      onChoose={(id) => {
        const chosen = templates.find((one) => one.id === id);
        if (chosen === undefined) setPicked(undefined);
        else pick(chosen);
      }}
      {...(typed === undefined ? {} : { onEnter: () => pick(typed) })}
      choices={templates.map((template) => ({
        id: template.id,
        label: template.name,
        detail: utmNames
          .map((name) => template[name])
          .filter((value) => value !== null)
          .join(' · '),
      }))}
    />
  );
}
