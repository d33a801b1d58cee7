import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fileListQuery, fileQuery, uploadFile } from '#console/api/links/files.ts';
import { issuesByPath } from '#console/api/error.ts';
import { useCan } from '#console/app/can.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Select } from '#console/ui/form/field.tsx';
import { PictureDrop } from '#console/ui/form/picture-drop.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { Cropper } from './cropper.tsx';
import { useCardWords } from './words.ts';
import css from './cards.module.css';

interface PictureProps {
  imageId: string | null;
  onChange: (imageId: string | null) => void;
  error: string | undefined;
}

// The most that the API lists at once.
const mostPictures = 50;
const none = 'none';

/** The picture of a card: one of the files, or a new one that is dropped, pasted or chosen, and cut to size. */
export function PictureField({ imageId, onChange, error }: PictureProps) {
  const words = useCardWords();
  const ui = useUiWords();
  const queries = useQueryClient();
  const canUpload = useCan('files', 'create');
  const { data: files } = useQuery(fileListQuery({ kind: 'meta-tag', limit: mostPictures }));
  const { data: chosen } = useQuery({ ...fileQuery(imageId ?? ''), enabled: imageId !== null });
  const [picture, setPicture] = useState<ImageBitmap>();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const intent = useRef<string>(undefined);

  async function take(file: File): Promise<void> {
    setProblem(undefined);
    intent.current = undefined;
    try {
      setPicture(await createImageBitmap(file));
    } catch {
      setProblem(words.unreadable);
    }
  }

  async function send(file: File): Promise<void> {
    setPending(true);
    // One key for each part that is cut out: trying again makes no second file.
    intent.current ??= crypto.randomUUID();
    try {
      const { id } = await uploadFile('meta-tag', file, intent.current);
      onChange(id);
      setPicture(undefined);
      await queries.invalidateQueries({ queryKey: ['files'] });
    } catch (failure) {
      const reason = issuesByPath(failure).file;
      if (reason === undefined)
        sayFailed(words.notUploaded, failure, { label: ui.tryAgain, onPress: () => void send(file) });
      else setProblem(reason);
    }
    setPending(false);
  }

  if (picture !== undefined)
    return (
      <Cropper
        picture={picture}
        isPending={isPending}
        onUse={(file) => void send(file)}
        onCancel={() => setPicture(undefined)}
      />
    );
  const known = (files?.data ?? []).map(({ id, name }) => ({ id, label: name }));
  const isListed = imageId === null || known.some(({ id }) => id === imageId);
  return (
    <div className={css.picture}>
      <Select
        label={words.picture}
        value={imageId ?? none}
        onChange={(id) => onChange(id === none ? null : id)}
        error={error ?? problem}
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
        isAllowed={canUpload}
        button={{ children: words.choose, size: 'small' }}
        onFiles={([file]) => void take(file!)}
      >
        <span className="quiet">{words.drop}</span>
      </PictureDrop>
    </div>
  );
}
