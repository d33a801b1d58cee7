import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { folderListQuery, tagListQuery } from '#console/api/labels.ts';
import type { LinkPatch } from '#console/api/links.ts';
import { destinationOf } from '#console/links/editor/destination.ts';
import { useLinkWords } from '#console/links/words.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { ComboBox, TextField } from '#console/ui/form/field.tsx';
import css from '#console/links/list/list.module.css';
import { useBulkWords } from './words.ts';

/** A change of many links that asks for a value. */
export type BulkTask = 'tag' | 'untag' | 'move' | 'end' | 'destination' | 'campaign';

interface TaskDialogProps {
  task: Exclude<BulkTask, 'campaign'>;
  onApply: (change: LinkPatch) => Promise<void>;
  onClose: () => void;
}

/** Asks for the tag, folder, moment or destination of a change of many links. Enter applies it. */
export function TaskDialog({ task, onApply, onClose }: TaskDialogProps) {
  const words = useLinkWords();
  const bulk = useBulkWords();
  const ui = useUiWords();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { data: tags } = useQuery({
    ...tagListQuery({ search: task.endsWith('tag') ? text : '' }),
    enabled: task.endsWith('tag'),
  });
  const { data: folders } = useQuery({
    ...folderListQuery({ search: chosen === null ? text.trim() : '' }),
    enabled: task === 'move',
  });
  const folder = folders?.data.find(
    ({ id, name }) => id === chosen || name.toLowerCase() === text.trim().toLowerCase(),
  );
  const changes: Record<typeof task, () => LinkPatch | undefined> = {
    tag: () => ({ addTags: [text.trim()] }),
    untag: () => ({ removeTags: [text.trim()] }),
    end: () => ({ expiresAt: new Date(text).toISOString() }),
    destination: () => ({ destination: destinationOf(text) }),
    move: () => (folder === undefined ? undefined : { folderId: folder.id }),
  };
  const change = text.trim() === '' ? undefined : changes[task]();
  return (
    <Dialog title={bulk.titles[task]} onClose={onClose}>
      <form
        className={css.first}
        onSubmit={(event) => {
          event.preventDefault();
          if (change !== undefined) void onApply(change);
        }}
      >
        {task === 'end' ? (
          <TextField label={bulk.endField} type="datetime-local" value={text} onChange={setText} autoFocus />
        ) : task === 'destination' ? (
          <TextField
            label={bulk.destinationField}
            hint={bulk.destinationHint}
            placeholder="https://example.com/spring"
            value={text}
            onChange={setText}
            autoFocus
          />
        ) : (
          <ComboBox
            label={task === 'move' ? words.folder : words.tag}
            text={text}
            onText={setText}
            chosen={chosen}
            onChoose={setChosen}
            openLabel={ui.open}
            autoFocus
            onEnter={() => change !== undefined && void onApply(change)}
            choices={
              task === 'move'
                ? (folders?.data ?? []).map(({ id, name }) => ({ id, label: name }))
                : (tags?.data ?? []).map(({ id, name }) => ({ id, label: name }))
            }
          />
        )}
        <Button type="submit" variant="primary" isDisabled={change === undefined}>
          {bulk.apply}
        </Button>
      </form>
    </Dialog>
  );
}
