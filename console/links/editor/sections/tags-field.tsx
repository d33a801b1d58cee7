import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tagListQuery } from '#console/api/links/labels.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import { IconButton } from '#console/ui/button.tsx';
import { ComboBox } from '#console/ui/form/field.tsx';
import css from '#console/links/editor/editor.module.css';
import layout from '#console/ui/page/layout.module.css';

interface TagsFieldProps {
  /** Names. */
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
  error: string | undefined;
}

/** The tags of a link, found or made while typing. */
export function TagsField({ tags, onChange, error }: TagsFieldProps) {
  const words = useEditorWords();
  const ui = useUiWords();
  const [typed, setTyped] = useState('');
  const { data: found } = useQuery(tagListQuery({ search: typed }));
  const add = (name: string): void => {
    const trimmed = name.trim();
    if (trimmed !== '' && !tags.includes(trimmed)) onChange([...tags, trimmed]);
    setTyped('');
  };
  return (
    <div>
      <ComboBox
        label={words.tags}
        {...(typed.trim() === '' ? {} : { onEnter: () => add(typed) })}
        hint={words.tagsHint}
        text={typed}
        onText={setTyped}
        onChoose={(id) => {
          const chosen = found?.data.find((one) => one.id === id);
          if (chosen !== undefined) add(chosen.name);
        }}
        error={error}
        openLabel={ui.open}
        choices={(found?.data ?? [])
          .filter(({ name }) => !tags.includes(name))
          .map(({ id, name }) => ({ id, label: name }))}
      />
      {tags.length > 0 && (
        <ul className={`${layout.chosen} ${css.tags}`}>
          {tags.map((name) => (
            <li key={name}>
              {name}
              <IconButton
                icon="close"
                size="small"
                label={words.removeTag(name)}
                onPress={() => onChange(tags.filter((one) => one !== name))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
