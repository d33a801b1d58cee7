import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { labelListQuery } from '#console/api/links/labels.ts';
import type { LinkPatch } from '#console/api/links/links.ts';
import { completed, destinationOf } from '#console/links/editor/destination/destination.ts';
import { useSpaceIssue } from '#console/links/editor/destination/spaces.ts';
import { useLinkWords } from '#console/links/words.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { ComboBox } from '#console/ui/form/list-field.tsx';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useBulkWords } from './words.ts';

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

/** A change of many links that asks for a value. */
export type BulkTask = 'tag' | 'untag' | 'move' | 'end' | 'destination' | 'campaign';

export interface TaskDialogProps {
  task: Exclude<BulkTask, 'campaign'>;
  count: number;
  /** Tags of the selected links; undefined: not all of them are read. */
  ownTags: readonly { id: string; name: string }[] | undefined;
  onApply: (change: LinkPatch) => Promise<void>;
  onClose: () => void;
}

/** Asks for the tag, folder, moment or destination of a change of many links. Enter applies it. */
export function TaskDialog({ task, count, ownTags, onApply, onClose }: TaskDialogProps) {
  const words = useLinkWords();
  const bulk = useBulkWords();
  const spaceIssue = useSpaceIssue();
  const [text, setText] = useState('');
  const { data: tags } = useQuery({
    ...labelListQuery('tag', { search: task.endsWith('tag') ? text : '' }),
    enabled: task === 'tag' || (task === 'untag' && ownTags === undefined),
  });
  const tagChoices = (task === 'untag' ? ownTags : undefined) ?? tags?.data ?? [];
  const { data: folders } = useQuery({
    ...labelListQuery('folder', { search: text.trim() }),
    enabled: task === 'move',
  });
  const folder = folders?.data.find(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
  const changes: Record<typeof task, () => LinkPatch | undefined> = {
    tag: () => ({ addTags: [text.trim()] }),
    untag: () => ({ removeTags: [text.trim()] }),
    end: () => ({ expiresAt: new Date(text).toISOString() }),
    destination: () => (spaceIssue(text) !== undefined ? undefined : { destination: destinationOf(text) }),
    move: () => (folder === undefined ? undefined : { folderId: folder.id }),
  };
  const change = text.trim() === '' ? undefined : changes[task]();
  const becomes =
    task === 'destination' && text.trim() !== '' && completed(text) !== text ? completed(text) : undefined;
  return (
    <FormDialog
      title={bulk.titles[task](bulk.links(count))}
      submitLabel={bulk.apply}
      isReady={change !== undefined}
      onSubmit={() => change !== undefined && void onApply(change)}
      onClose={onClose}
      instead={task === 'end' ? { label: bulk.removeEnd, onPress: () => void onApply({ expiresAt: null }) } : undefined}
    >
      {task === 'end' ? (
        <TextField
          label={bulk.endField}
          type="datetime-local"
          hint={timeZone}
          value={text}
          onChange={setText}
          autoFocus
        />
      ) : task === 'destination' ? (
        <TextField
          label={bulk.destinationField}
          error={spaceIssue(text)}
          hint={becomes === undefined ? bulk.destinationHint : bulk.becomes(becomes)}
          placeholder="https://example.com/spring"
          value={text}
          onChange={setText}
          onBlur={() => setText(completed(text))}
          autoFocus
        />
      ) : (
        <ComboBox
          label={task === 'move' ? words.folder : words.tag}
          text={text}
          onText={setText}
          autoFocus
          onEnter={() => change !== undefined && void onApply(change)}
          choices={(task === 'move' ? (folders?.data ?? []) : tagChoices).map(({ id, name }) => ({ id, label: name }))}
        />
      )}
    </FormDialog>
  );
}
