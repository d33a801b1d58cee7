import { type ReactNode, useRef } from 'react';
import { DropZone, type FileDropItem, FileTrigger } from 'react-aria-components';
import { isDialogOpen, isTyping } from '#console/app/keys.ts';
import { useDocumentEvent } from '#console/ui/browser/document-event.ts';
import { Button } from '#console/ui/button.tsx';
import layout from '#console/ui/page/layout.module.css';

interface PictureDropProps {
  /** Read aloud. */
  label: string;
  /** MIME types of the dialog of files. */
  accepted: readonly string[];
  /** How many pictures of a drop are read; further ones are ignored. */
  most: number;
  /** Why the person may not upload; undefined: they may. */
  refusal: string | undefined;
  button: { children: string; variant?: 'primary'; size?: 'small' };
  /** What stands before the button. */
  before?: ReactNode;
  children: ReactNode;
  onFiles: (files: readonly File[]) => void;
}

/** Takes pictures by drop, paste and button. */
export function PictureDrop(props: PictureDropProps) {
  const { label, accepted, most, refusal, button, before, children, onFiles } = props;
  const zone = useRef<HTMLDivElement>(null);
  const take = (files: readonly File[]): void => {
    if (refusal === undefined && files.length > 0) onFiles(files.slice(0, most));
  };
  useDocumentEvent('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    // A dialog over the page has its own pastes.
    const isBelowDialog = isDialogOpen() && zone.current?.closest('[role="dialog"]') === null;
    if (files.length === 0 || isTyping(event.target) || isBelowDialog) return;
    event.preventDefault();
    take(files);
  });
  return (
    <DropZone
      ref={zone}
      className={layout.drop}
      aria-label={label}
      isDisabled={refusal !== undefined}
      getDropOperation={() => 'copy'}
      onDrop={({ items }) => {
        const files = items.filter((item): item is FileDropItem => item.kind === 'file').slice(0, most);
        void Promise.all(files.map((item) => item.getFile())).then(take);
      }}
    >
      {before}
      <FileTrigger acceptedFileTypes={accepted} allowsMultiple={most > 1} onSelect={(list) => take([...(list ?? [])])}>
        <Button {...button} icon="image" refusal={refusal} />
      </FileTrigger>
      {children}
    </DropZone>
  );
}
