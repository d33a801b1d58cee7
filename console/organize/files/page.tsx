import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { FileKind } from '#core/files/kinds.ts';
import { apiBase } from '#console/api/client.ts';
import { ApiError } from '#console/api/error.ts';
import { deleteFile, fileListQuery, filesPerPage, type StoredFileItem } from '#console/api/files.ts';
import { useCan } from '#console/app/can.ts';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, buttonClass, IconButton } from '#console/ui/button.tsx';
import { CopyButton } from '#console/ui/copy.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { Select } from '#console/ui/field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Chip, Empty, Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { PastEnd, SearchBox } from '#console/organize/search-box.tsx';
import { Pages } from '#console/ui/pages.tsx';
import { type FilesSearch, shownKinds } from '#console/organize/search.ts';
import { kindOf } from './upload-check.ts';
import { UploadBox } from './upload.tsx';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';

/** /files */
export function FilesPage() {
  const words = useOrganizeWords();
  const own = words.files;
  useTitle(own.title);
  const search = useSearch({ from: '/frame/files' });
  const { q = '', kind, page = 1 } = search;
  const navigate = useNavigate();
  const { data, error, isPlaceholderData, refetch } = useQuery(fileListQuery({ search: q, kind, page: page - 1 }));
  const [deleting, setDeleting] = useState<StoredFileItem>();
  const change = useCallback(
    (next: FilesSearch, { replace = false } = {}) =>
      void navigate({ to: '/files', replace, search: (before) => ({ ...before, page: undefined, ...next }) }),
    [navigate],
  );
  const searchFor = useCallback(
    (text: string) => change({ q: text === '' ? undefined : text }, { replace: true }),
    [change],
  );
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{own.title}</h1>
        <SearchBox label={own.search} text={q} onSearch={searchFor} />
        <div className={css.kind}>
          <Select<FileKind | 'all'>
            label={own.kind}
            isLabelHidden
            value={kind ?? 'all'}
            onChange={(next) => change({ kind: next === 'all' ? undefined : next })}
            choices={[
              { id: 'all' as const, label: own.allKinds },
              ...shownKinds.map((id) => ({ id, label: own.kinds[id] })),
            ]}
          />
        </div>
      </div>
      <UploadBox />
      {error !== null && data === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton rows={3} height={9} />
      ) : data.data.length === 0 && data.count > 0 ? (
        <PastEnd onBack={() => change({})} />
      ) : data.data.length === 0 ? (
        <NoFiles isSearch={q !== '' || kind !== undefined} onClear={() => void navigate({ to: '/files' })} />
      ) : (
        <>
          <p className="quiet" role="status">
            {words.found(data.count)}
          </p>
          <ul className={[css.files, isPlaceholderData ? css.isStale : ''].join(' ')} aria-label={own.title}>
            {data.data.map((file) => (
              <FileCard key={file.id} file={file} onDelete={() => setDeleting(file)} />
            ))}
          </ul>
          <Pages page={page} pages={Math.ceil(data.count / filesPerPage)} onPage={(next) => change({ page: next })} />
        </>
      )}
      {deleting !== undefined && <DeleteFileDialog file={deleting} onClose={() => setDeleting(undefined)} />}
    </div>
  );
}

function FileCard({ file, onDelete }: { file: StoredFileItem; onDelete: () => void }) {
  const words = useOrganizeWords();
  const ui = useUiWords();
  const own = words.files;
  const format = useFormat();
  const canDelete = useCan('files', 'delete');
  const kind = kindOf(file);
  return (
    <li className={css.file}>
      <div className={css.picture}>
        {file.takenDown === null ? <img src={file.url} alt="" loading="lazy" /> : <Icon name="shield" size={32} />}
      </div>
      <div className={css.about}>
        <strong>{file.name}</strong>
        {kind !== undefined && <span>{own.kinds[kind]}</span>}
        <span title={format.whole(file.createdAt)}>
          {format.bytes(file.size)} · {format.day(file.createdAt)}
        </span>
        {file.uses !== undefined && <span>{own.uses(file.uses)}</span>}
        {file.takenDown !== null && (
          <span>
            <Chip tone="bad" icon="shield">
              {own.takenDown}
            </Chip>{' '}
            {file.takenDown.reason}
          </span>
        )}
      </div>
      <div className={css.fileActions}>
        <CopyButton text={file.url} label={own.copy(file.name)} />
        <a
          className={buttonClass('plain', 'small')}
          href={file.url}
          target="_blank"
          rel="noreferrer"
          aria-label={own.open(file.name)}
        >
          <Icon name="external" size={16} />
        </a>
        <IconButton
          icon="trash"
          size="small"
          label={own.deleteOf(file.name)}
          isDisabled={!canDelete}
          hint={canDelete ? undefined : ui.notAllowed}
          onPress={onDelete}
        />
      </div>
    </li>
  );
}

function DeleteFileDialog({ file: { id, name }, onClose }: { file: StoredFileItem; onClose: () => void }) {
  const words = useOrganizeWords();
  const own = words.files;
  const queries = useQueryClient();
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function remove(): Promise<void> {
    setPending(true);
    setProblem(undefined);
    try {
      await deleteFile(id);
      sayDone(own.deleted(name));
      onClose();
    } catch (error) {
      // The API refuses a file that is in use by an issue of its id.
      if (error instanceof ApiError && error.issues.some(({ path }) => path === 'id')) setProblem(own.inUse);
      else {
        sayFailed(own.notDeleted(name), error, { label: words.tryAgain, onPress: () => void remove() });
        onClose();
      }
    }
    setPending(false);
    await queries.invalidateQueries({ queryKey: ['files'] });
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
      <p>{own.deleteText}</p>
      {problem !== undefined && (
        <div role="alert">
          <Notice tone="bad" icon="warning">
            {problem}
          </Notice>
        </div>
      )}
    </Confirm>
  );
}

function NoFiles({ isSearch, onClear }: { isSearch: boolean; onClear: () => void }) {
  const words = useOrganizeWords();
  const own = words.files;
  if (isSearch)
    return (
      <Empty icon="search" title={own.emptyTitle} action={<Button onPress={onClear}>{words.clearSearch}</Button>} />
    );
  const command = `curl -X POST ${apiBase()}/files/meta-tag-image -H 'x-api-key: …' -F file=@picture.png`;
  return (
    <Empty icon="image" title={own.noneTitle} command={command}>
      {own.noneText}
    </Empty>
  );
}
