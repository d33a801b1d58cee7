import { SearchBox } from '#console/ui/list/search-box.tsx';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FileKind } from '#core/files/kinds.ts';
import { apiBase } from '#console/api/client.ts';
import { issuesByPath } from '#console/api/error.ts';
import { deleteFile, fileListQuery, filesPerPage, type StoredFileItem } from '#console/api/links/files.ts';
import { useRefusal } from '#console/app/can.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { IconButton, OutLink } from '#console/ui/button.tsx';
import { CopyButton } from '#console/ui/text/copy.tsx';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Alert, Chip, Empty } from '#console/ui/page/states.tsx';
import { type FilesSearch, shownKinds } from '#console/organize/search.ts';
import { kindOf } from './upload-check.ts';
import { UploadBox } from './upload.tsx';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';
import layout from '#console/ui/page/layout.module.css';
import { FilterSelect } from '#console/ui/list/filters.tsx';
import { List } from '#console/ui/list/list.tsx';
import { NothingFound } from '#console/organize/table-page.tsx';
import { useListSearch } from '#console/app/places/use-page-search.ts';

/** /files */
export default function FilesPage() {
  const words = useOrganizeWords();
  const own = words.files;
  useTitle(own.title);
  const { search, change, searchFor } = useListSearch<FilesSearch>();
  const { q = '', kind, page = 1 } = search;
  const [deleting, setDeleting] = useState<StoredFileItem>();
  return (
    <div className={layout.page}>
      <div className={layout.head}>
        <h1>{own.title}</h1>
        <SearchBox label={own.search} text={q} onSearch={searchFor} />
        <div className={css.kind}>
          <FilterSelect<FileKind>
            label={own.kind}
            isLabelHidden
            all={own.allKinds}
            value={kind}
            onChange={(next) => change({ kind: next })}
            choices={shownKinds.map((id) => ({ id, label: own.kinds[id] }))}
          />
        </div>
      </div>
      <UploadBox />
      <List
        query={useQuery(fileListQuery({ search: q, kind, page: page - 1 }))}
        page={page}
        perPage={filesPerPage}
        onPage={(next) => change({ page: next })}
        found={words.found}
        height={9}
        empty={
          q !== '' || kind !== undefined ? (
            <NothingFound title={own.emptyTitle} onClear={() => change({ q: undefined, kind: undefined })} />
          ) : (
            <Empty
              icon="image"
              title={own.noneTitle}
              command={`curl -X POST ${apiBase()}/files/meta-tag-image -H 'x-api-key: …' -F file=@picture.png`}
            >
              {own.noneText}
            </Empty>
          )
        }
      >
        {(files) => (
          <ul className={css.files} aria-label={own.title}>
            {files.map((file) => (
              <FileCard key={file.id} file={file} onDelete={() => setDeleting(file)} />
            ))}
          </ul>
        )}
      </List>
      {deleting !== undefined && <DeleteFileDialog file={deleting} onClose={() => setDeleting(undefined)} />}
    </div>
  );
}

function FileCard({ file, onDelete }: { file: StoredFileItem; onDelete: () => void }) {
  const words = useOrganizeWords();
  const own = words.files;
  const format = useFormat();
  const refusal = useRefusal('files', 'delete');
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
        <OutLink href={file.url} label={own.open(file.name)} variant="plain" size="small" />
        <IconButton icon="trash" size="small" label={own.deleteOf(file.name)} refusal={refusal} onPress={onDelete} />
      </div>
    </li>
  );
}

function DeleteFileDialog({ file: { id, name }, onClose }: { file: StoredFileItem; onClose: () => void }) {
  const words = useOrganizeWords();
  const own = words.files;
  const [isInUse, setInUse] = useState(false);
  return (
    <ConfirmChange
      title={words.deleteTitle(name)}
      onClose={onClose}
      submitLabel={words.delete}
      change={{
        send: () => deleteFile(id),
        done: own.deleted(name),
        failed: own.notDeleted(name),
        // The API refuses a file that is in use by an issue of its id.
        fields: ['id'],
        refresh: [['files']],
        onFailed: (error) => (issuesByPath(error).id === undefined ? onClose() : setInUse(true)),
      }}
    >
      <p>{own.deleteText}</p>
      <Alert text={isInUse ? own.inUse : undefined} />
    </ConfirmChange>
  );
}
