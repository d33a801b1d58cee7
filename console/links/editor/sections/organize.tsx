import { issueAt } from '#console/api/error.ts';
import { FolderField } from './folder-field.tsx';
import { useQuery } from '@tanstack/react-query';
import { lengths } from '#core/lengths.ts';
import { useState } from 'react';
import { tagListQuery } from '#console/api/labels.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { IconButton } from '#console/ui/button.tsx';
import { ComboBox, TextArea, TextField } from '#console/ui/form/field.tsx';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';
import css from '#console/links/editor/editor.module.css';

/** Folder, tags, title, external id and note. */
export function OrganizeSection({ draft, onChange, issues }: SectionProps) {
  const words = useEditorWords();
  const ui = useUiWords();
  const [tag, setTag] = useState('');
  const { data: tags } = useQuery(tagListQuery({ search: tag }));
  const addTag = (name: string): void => {
    const trimmed = name.trim();
    if (trimmed !== '' && !draft.tags.includes(trimmed)) onChange({ tags: [...draft.tags, trimmed] });
    setTag('');
  };
  return (
    <div className={css.fields}>
      <FolderField folderId={draft.folderId} onChange={(folderId) => onChange({ folderId })} error={issues.folderId} />
      <div>
        <ComboBox
          label={words.tags}
          {...(tag.trim() === '' ? {} : { onEnter: () => addTag(tag) })}
          hint={words.tagsHint}
          text={tag}
          onText={setTag}
          onChoose={(id) => {
            const chosen = tags?.data.find((one) => one.id === id);
            if (chosen !== undefined) addTag(chosen.name);
          }}
          error={issueAt(issues, 'tags')}
          openLabel={ui.open}
          choices={(tags?.data ?? [])
            .filter(({ name }) => !draft.tags.includes(name))
            .map(({ id, name }) => ({ id, label: name }))}
        />
        {draft.tags.length > 0 && (
          <ul className={css.tags}>
            {draft.tags.map((name) => (
              <li key={name}>
                {name}
                <IconButton
                  icon="close"
                  size="small"
                  label={words.removeTag(name)}
                  onPress={() => onChange({ tags: draft.tags.filter((one) => one !== name) })}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      <TextField
        label={words.title}
        value={draft.title}
        onChange={(title) => onChange({ title })}
        error={issues.title}
        maxLength={lengths.linkTitle}
      />
      <TextField
        label={words.externalId}
        value={draft.externalId}
        onChange={(externalId) => onChange({ externalId })}
        error={issues.externalId}
        maxLength={lengths.externalId}
      />
      <div className={css.whole}>
        <TextArea
          label={words.notes}
          hint={words.notesHint}
          value={draft.notes}
          onChange={(notes) => onChange({ notes })}
          error={issues.notes}
          maxLength={lengths.note}
        />
      </div>
    </div>
  );
}
