import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteLabel, folderListQuery, type LabelKind } from '#console/api/labels.ts';
import { type LinkFilters, linkListQuery, refreshAfterOwnChange } from '#console/api/links.ts';
import type { Folder, Tag } from '#console/api/types.ts';
import { Confirm } from '#console/ui/dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { linksOf } from './merge.ts';
import { useOrganizeWords } from '#console/organize/words.ts';

interface DeleteLabelDialogProps {
  kind: LabelKind;
  label: Folder | Tag;
  onClose: () => void;
}

/** Says how many links a folder or tag has and what becomes of them, and deletes it. */
export function DeleteLabelDialog({ kind, label: { id, name }, onClose }: DeleteLabelDialogProps) {
  const words = useOrganizeWords();
  const own = words[kind];
  const queries = useQueryClient();
  const [isPending, setPending] = useState(false);
  const count = useLinkCount(linksOf(kind, id));
  const { data: folders } = useQuery({ ...folderListQuery(), enabled: kind === 'folder' });
  const target = folders?.data.find(({ isDefault }) => isDefault)?.name ?? words.isDefault;

  async function remove(): Promise<void> {
    setPending(true);
    try {
      await deleteLabel(kind, id);
      sayDone(own.deleted(name));
    } catch (error) {
      sayFailed(own.notDeleted(name), error, { label: words.tryAgain, onPress: () => void remove() });
    }
    onClose();
    await queries.invalidateQueries({ queryKey: [`${kind}s`] });
    await refreshAfterOwnChange(queries);
  }

  return (
    <Confirm
      title={own.deleteTitle(name)}
      isOpen
      onClose={onClose}
      confirmLabel={words.delete}
      isDanger
      isPending={isPending}
      onConfirm={() => void remove()}
    >
      <p>{count === undefined ? words.counting : own.deleteText(count, target)}</p>
    </Confirm>
  );
}

/** @returns the number of links that filters find; undefined until it is known. */
export function useLinkCount(filters: LinkFilters): number | undefined {
  return useQuery({ ...linkListQuery(filters, { limit: 0 }), placeholderData: undefined }).data?.count;
}
