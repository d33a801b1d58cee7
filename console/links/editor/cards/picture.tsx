import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fileListQuery, fileQuery, uploadFile } from '#console/api/links/files.ts';
import { useRefusal } from '#console/app/can.ts';
import { Select } from '#console/ui/form/list-field.tsx';
import { PictureDrop } from '#console/ui/form/picture-drop.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { Cropper } from './cropper.tsx';
import { useCardWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

interface PictureProps {
  imageId: string | null;
  onChange: (imageId: string | null) => void;
  error: string | undefined;
  /** Why no picture can be chosen; undefined: one can. */
  refusal: string | undefined;
}

// The most that the API lists at once.
const mostPictures = 50;
const none = 'none';

/** The picture of a card: one of the files, or a new one that is dropped, pasted or chosen, and cut to size. */
export function PictureField({ imageId, onChange, error, refusal }: PictureProps) {
  const words = useCardWords();
  const refusedUpload = useRefusal('files', 'create');
  const { data: files } = useQuery(fileListQuery({ kind: 'meta-tag', limit: mostPictures }));
  const { data: chosen } = useQuery({ ...fileQuery(imageId ?? ''), enabled: imageId !== null });
  const [picture, setPicture] = useState<ImageBitmap>();
  const [problem, setProblem] = useState<string>();
  const upload = useChange({
    send: (file: File, intent) => uploadFile('meta-tag', file, intent),
    failed: words.notUploaded,
    fields: ['file'],
    refresh: [['files']],
    onDone: ({ id }) => {
      onChange(id);
      setPicture(undefined);
    },
  });

  async function take(file: File): Promise<void> {
    setProblem(undefined);
    try {
      setPicture(await createImageBitmap(file));
    } catch {
      setProblem(words.unreadable);
    }
  }

  if (picture !== undefined)
    return (
      <Cropper
        picture={picture}
        isPending={upload.isPending}
        onUse={upload.send}
        onCancel={() => setPicture(undefined)}
      />
    );
  const known = (files?.data ?? []).map(({ id, name }) => ({ id, label: name }));
  const isListed = imageId === null || known.some(({ id }) => id === imageId);
  return (
    <div className={layout.fields}>
      <Select
        label={words.picture}
        value={imageId ?? none}
        onChange={(id) => onChange(id === none ? null : id)}
        error={error ?? problem ?? upload.issues.file}
        isDisabled={refusal !== undefined}
        choices={[
          { id: none, label: words.noPicture },
          ...(isListed ? [] : [{ id: imageId, label: chosen?.name ?? words.chosen }]),
          ...known,
        ]}
      />
      <PictureDrop
        label={words.dropLabel}
        accepted={['image/*']}
        most={1}
        refusal={refusal ?? refusedUpload}
        button={{ children: words.choose, size: 'small' }}
        onFiles={([file]) => void take(file!)}
      >
        <span className="quiet">{words.drop}</span>
      </PictureDrop>
    </div>
  );
}
