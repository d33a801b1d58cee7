import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { labelListQuery } from '#console/api/links/labels.ts';
import { Picker } from '#console/ui/form/picker.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';

interface TagsFieldProps {
  /** Names. */
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
  error: string | undefined;
}

/** The tags of a link, found or made while typing. */
export function TagsField({ tags, onChange, error }: TagsFieldProps) {
  const words = useEditorWords();
  const [typed, setTyped] = useState('');
  const { data: found } = useQuery(labelListQuery('tag', { search: typed }));
  return (
    <Picker
      label={words.tags}
      hint={words.tagsHint}
      error={error}
      choices={(found?.data ?? []).map(({ name }) => ({ id: name, label: name }))}
      chosen={tags}
      onChange={onChange}
      nameOf={(name) => name}
      read={(text) => text.trim()}
      onText={setTyped}
      removeLabel={words.removeTag}
    />
  );
}
