import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { folderListQuery, tagListQuery } from '#console/api/labels.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { IconButton } from '#console/ui/button.tsx';
import { ComboBox, TextArea, TextField } from '#console/ui/field.tsx';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';
import css from '#console/links/editor/editor.module.css';

/** Folder, tags, title, external id and note. */
export function OrganizeSection({ draft, onChange, issues }: SectionProps) {
  const words = useEditorWords();
  const ui = useUiWords();
  const { data: folders } = useQuery(folderListQuery());
  const [tag, setTag] = useState('');
  const { data: tags } = useQuery(tagListQuery({ search: tag }));
  const folder = folders?.data.find(({ id, isDefault }) => (draft.folderId === '' ? isDefault : id === draft.folderId));
  const [folderText, setFolderText] = useState<string>();
  const addTag = (name: string): void => {
    const trimmed = name.trim();
    if (trimmed !== '' && !draft.tags.includes(trimmed)) onChange({ tags: [...draft.tags, trimmed] });
    setTag('');
  };
  return (
    <div className={css.fields}>
      <ComboBox
        label={words.folder}
        text={folderText ?? folder?.name ?? ''}
        onText={setFolderText}
        chosen={folder?.id ?? null}
        onChoose={(id) => {
          if (id === null) return;
          onChange({ folderId: id });
          setFolderText(undefined);
        }}
        error={issues.folderId}
        openLabel={ui.open}
        choices={(folders?.data ?? []).map(({ id, name }) => ({ id, label: name }))}
      />
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
          error={issues.tags}
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
        maxLength={255}
      />
      <TextField
        label={words.externalId}
        value={draft.externalId}
        onChange={(externalId) => onChange({ externalId })}
        error={issues.externalId}
        maxLength={255}
      />
      <div className={css.whole}>
        <TextArea
          label={words.notes}
          hint={words.notesHint}
          value={draft.notes}
          onChange={(notes) => onChange({ notes })}
          error={issues.notes}
          maxLength={2_000}
        />
      </div>
    </div>
  );
}
