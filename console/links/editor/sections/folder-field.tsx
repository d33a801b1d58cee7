import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { allFoldersQuery, createLabel } from '#console/api/links/labels.ts';
import { useCan } from '#console/app/can.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import { ComboBox } from '#console/ui/form/list-field.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { defaultFolderColor } from '#core/labels/label.ts';

const toMake = 'make';

interface FolderFieldProps {
  /** Empty: the default folder. A text that is no folder stands here as it is, and the API refuses it. */
  folderId: string;
  onChange: (folderId: string) => void;
  error: string | undefined;
}

/** The folder of a link: one of the list, or a new one with the name that is typed. */
export function FolderField({ folderId, onChange, error }: FolderFieldProps) {
  const words = useEditorWords();
  const queries = useQueryClient();
  const canCreate = useCan('shortLinks', 'create');
  const { data: folders = [] } = useQuery(allFoldersQuery);
  const [typed, setTyped] = useState<string>();
  const folder = folders.find(({ id, isDefault }) => (folderId === '' ? isDefault : id === folderId));
  const text = typed ?? folder?.name ?? folderId;
  const wanted = text.trim().toLowerCase();
  const named = folders.find(({ name }) => name.toLowerCase() === wanted);
  const isUnknown = folders.length > 0 && wanted !== '' && named === undefined;
  const make = useChange({
    send: (name: string, intent) => createLabel('folder', { name, color: defaultFolderColor }, intent),
    done: (_made, name) => words.folderMade(name),
    failed: (name) => words.folderNotMade(name),
    onDone: async ({ id }) => {
      // First: the link may be saved before the list has the folder.
      onChange(id);
      await queries.invalidateQueries({ queryKey: ['folders'] });
      setTyped(undefined);
    },
  });
  return (
    <ComboBox
      label={words.folder}
      text={text}
      onText={(next) => {
        setTyped(next);
        const name = next.trim().toLowerCase();
        const match = folders.find((one) => one.name.toLowerCase() === name);
        onChange(name === '' ? '' : (match?.id ?? next.trim()));
      }}
      chosen={folder?.id ?? null}
      onChoose={(id) => {
        if (id === null) return;
        if (id === toMake) return make.send(text.trim());
        onChange(id);
        setTyped(undefined);
      }}
      onEnter={isUnknown && canCreate ? () => make.send(text.trim()) : undefined}
      error={isUnknown ? (canCreate ? words.noFolderYet : words.noFolder) : error}
      choices={[
        ...folders.map(({ id, name }) => ({ id, label: name })),
        ...(isUnknown && canCreate ? [{ id: toMake, label: words.makeFolder(text.trim()), text }] : []),
      ]}
    />
  );
}
