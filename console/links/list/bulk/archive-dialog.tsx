import { useLinkWords } from '#console/links/words.ts';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { useBulkWords } from './words.ts';

interface ArchiveDialogProps {
  count: number;
  onArchive: () => void;
  onClose: () => void;
}

/** Says before links are archived that they stop redirecting: other services keep archived links going. */
export function ArchiveDialog({ count, onArchive, onClose }: ArchiveDialogProps) {
  const words = useLinkWords();
  const bulk = useBulkWords();
  return (
    <Confirm
      title={bulk.archiveTitle(bulk.links(count))}
      submitLabel={words.archive}
      onSubmit={() => {
        onClose();
        onArchive();
      }}
      onClose={onClose}
    >
      <p>{bulk.archiveText(count)}</p>
    </Confirm>
  );
}
