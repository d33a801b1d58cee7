import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ProgressBar } from 'react-aria-components';
import { type FileKind, fileKinds } from '#core/files/kinds.ts';
import { ApiError, issuesByPath, messageOf } from '#console/api/error.ts';
import { uploadFile } from '#console/api/links/files.ts';
import { useRefusal } from '#console/app/can.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { PictureDrop } from '#console/ui/form/picture-drop.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { acceptedTypes, findUploadProblem, formatLabels, mostUploads } from './upload-check.ts';
import { shownKinds } from '#console/organize/search.ts';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';
import layout from '#console/ui/page/layout.module.css';

interface Upload {
  /** The Idempotency-Key too: trying again makes no second file. */
  id: string;
  kind: FileKind;
  file: File;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  /** Why it failed. */
  reason?: string;
  canRetry?: boolean;
}

/** Takes pictures by drop, paste and button, and sends them one after the other. */
export function UploadBox() {
  const words = useOrganizeWords();
  const own = words.files;
  const format = useFormat();
  const queries = useQueryClient();
  const refusal = useRefusal('files', 'create');
  const [kind, setKind] = useState<FileKind>('meta-tag');
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [isOver, setOver] = useState(false);

  const patch = (id: string, change: Partial<Upload>): void =>
    setUploads((before) => before.map((one) => (one.id === id ? { ...one, ...change } : one)));

  async function send(wanted: readonly Upload[]): Promise<void> {
    for (const { id, kind: use, file } of wanted) {
      patch(id, { state: 'sending' });
      try {
        await uploadFile(use, file, id);
        patch(id, { state: 'done' });
      } catch (error) {
        const reason = issuesByPath(error).file ?? messageOf(error);
        patch(id, { state: 'failed', reason, canRetry: error instanceof ApiError && error.isPassing });
      }
      await queries.invalidateQueries({ queryKey: ['files'] });
    }
  }

  function take(files: readonly File[]): void {
    setOver(files.length > mostUploads);
    const taken = files.slice(0, mostUploads).map((file): Upload => {
      const problem = findUploadProblem(kind, file);
      const said = {
        wrongType: () => own.wrongType(formatLabels(kind)),
        tooLarge: () => own.tooLarge(format.bytes(fileKinds[kind].maxBytes)),
        isEmpty: () => own.isEmpty,
      };
      const upload = { id: crypto.randomUUID(), kind, file };
      return problem === undefined
        ? { ...upload, state: 'waiting' }
        : { ...upload, state: 'failed', reason: said[problem]() };
    });
    setUploads((before) => [...before.filter(({ state }) => state !== 'done'), ...taken]);
    void send(taken.filter(({ state }) => state === 'waiting'));
  }

  const sent = uploads.filter(({ state }) => state === 'done').length;
  return (
    <>
      <PictureDrop
        label={own.drop}
        accepted={acceptedTypes(kind)}
        // One more than are taken: the notice says that there were too many.
        most={mostUploads + 1}
        refusal={refusal}
        button={{ children: own.upload, variant: 'primary' }}
        before={
          <div className={css.kind}>
            <Select<FileKind>
              label={own.kind}
              value={kind}
              onChange={setKind}
              refusal={refusal}
              choices={shownKinds.map((id) => ({ id, label: own.kinds[id] }))}
            />
          </div>
        }
        onFiles={take}
      >
        <p className={css.dropText}>
          {own.drop}
          <br />
          <span className="quiet">{own.bounds(formatLabels(kind), format.bytes(fileKinds[kind].maxBytes))}</span>
        </p>
      </PictureDrop>
      {isOver && <Notice tone="warn">{own.tooMany(mostUploads)}</Notice>}
      {uploads.length > 0 && (
        <section aria-label={own.uploads}>
          <p role="status">{own.uploadsDone(sent, uploads.length)}</p>
          <ul className={css.uploads}>
            {uploads.map((upload) => (
              <li key={upload.id}>
                <div className={css.upload}>
                  <span>{upload.file.name}</span>
                  <UploadState upload={upload} />
                </div>
                {upload.canRetry === true && upload.state === 'failed' && (
                  <Button size="small" icon="refresh" onPress={() => void send([upload])}>
                    {words.tryAgain}
                  </Button>
                )}
                {(upload.state === 'failed' || upload.state === 'done') && (
                  <IconButton
                    icon="close"
                    size="small"
                    label={own.remove(upload.file.name)}
                    onPress={() => setUploads((before) => before.filter(({ id }) => id !== upload.id))}
                  />
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function UploadState({ upload: { state, reason, file } }: { upload: Upload }) {
  const own = useOrganizeWords().files;
  if (state === 'failed')
    return (
      <span className={layout.bad} role="alert">
        {reason}
      </span>
    );
  if (state === 'sending')
    return (
      <ProgressBar aria-label={`${own.uploading}: ${file.name}`} isIndeterminate>
        <progress aria-hidden="true" />
      </ProgressBar>
    );
  return <span className="quiet">{state === 'done' ? own.uploaded : own.waiting}</span>;
}
