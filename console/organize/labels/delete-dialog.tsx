import { useQuery, useQueryClient } from '@tanstack/react-query';
import { allFoldersQuery, deleteLabel, type LabelKind } from '#console/api/links/labels.ts';
import { type LinkFilters, linkListQuery, refreshAfterOwnChange } from '#console/api/links/links.ts';
import type { Folder, Tag } from '#console/api/types.ts';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
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
  const count = useLinkCount(linksOf(kind, id));
  const { data: folders } = useQuery({ ...allFoldersQuery, enabled: kind === 'folder' });
  const target = folders?.find(({ isDefault }) => isDefault)?.name ?? words.isDefault;
  return (
    <ConfirmChange
      title={own.deleteTitle(name)}
      onClose={onClose}
      submitLabel={words.delete}
      change={{
        send: () => deleteLabel(kind, id),
        done: own.deleted(name),
        failed: own.notDeleted(name),
        refresh: [[`${kind}s`]],
        onDone: () => refreshAfterOwnChange(queries),
      }}
    >
      <p>{count === undefined ? words.counting : own.deleteText(count, target)}</p>
    </ConfirmChange>
  );
}

/** @returns the number of links that filters find; undefined until it is known. */
export function useLinkCount(filters: LinkFilters): number | undefined {
  return useQuery({ ...linkListQuery(filters, { limit: 0 }), placeholderData: undefined }).data?.count;
}
