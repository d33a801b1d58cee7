import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { maxImportBytes, maxImportRows } from '#core/csv/csv-file.ts';
import { detectFormat, type ImportFormat, importFormats } from '#core/imports/formats.ts';
import { type ColumnUse, readMapping, writeHeader } from '#core/imports/mapping.ts';
import { plans } from '#core/organizations/plans.ts';
import { allFoldersQuery, usableDomainsQuery } from '#console/api/links/labels.ts';
import { servingDomainsOf } from '#console/api/links/usable-domains.ts';
import { linkStateCountsQuery } from '#console/api/links/links.ts';
import { startImport, unfinishedImportsQuery } from '#console/api/links/imports.ts';
import { useRefusal } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useTitle } from '#console/app/places/title.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { useIsHere } from '#console/ui/browser/use-is-here.ts';
import { Icon } from '#console/ui/icon.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Alert, Notice, Skeleton } from '#console/ui/page/states.tsx';
import { takeAway, useDropped } from '#console/imports/drop/dropped.ts';
import { PickFile } from '#console/imports/pick-file.tsx';
import { keepFile } from '#console/imports/result/kept-files.ts';
import type { NewImportSearch } from '#console/imports/search.ts';
import { formatNames, useImportWords } from '#console/imports/words.ts';
import type { CheckResult } from './check-rows.ts';
import { CheckSummary } from './check-summary.tsx';
import { ColumnTable } from './columns.tsx';
import { Preview } from './preview.tsx';
import { type FileReading, FileRefused, openFile } from './reader.ts';
import type { FileHead } from './reader.worker.ts';
import css from '#console/imports/imports.module.css';
import layout from '#console/ui/page/layout.module.css';

/** /imports/new */
export default function NewImportPage() {
  const words = useImportWords();
  useTitle(words.newTitle);
  const file = useDropped();
  return (
    <div className={layout.page}>
      <div className={layout.head}>
        <h1>{words.newTitle}</h1>
        {file !== undefined && <PickFile isAgain />}
      </div>
      {file === undefined ? (
        <DropBox />
      ) : (
        <FilePlan key={`${file.name} ${file.lastModified} ${file.size}`} file={file} />
      )}
    </div>
  );
}

function DropBox() {
  const words = useImportWords();
  const format = useFormat();
  const refusal = useRefusal('shortLinks', 'create');
  return (
    <div className={css.dropBox}>
      <Icon name="import" size={40} />
      <h2>{words.drop.title}</h2>
      <p className="quiet">{words.drop.text(format.number(maxImportRows), format.bytes(maxImportBytes))}</p>
      {refusal === undefined ? (
        <PickFile />
      ) : (
        <Button variant="primary" icon="file" refusal={refusal}>
          {words.drop.pick}
        </Button>
      )}
    </div>
  );
}

/** What a file will become, and the button that sends it. */
function FilePlan({ file }: { file: File }) {
  const words = useImportWords();
  const format = useFormat();
  const [reading, setReading] = useState<FileReading>();
  const [head, setHead] = useState<FileHead>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const opened = openFile(file);
    let isOpen = true;
    opened.head.then(
      (read) => {
        if (!isOpen) return;
        setReading(opened);
        setHead(read);
      },
      (error: unknown) => {
        if (isOpen) setProblem(error instanceof FileRefused ? error.message : String(error));
      },
    );
    return () => {
      isOpen = false;
      opened.close();
    };
  }, [file]);
  return (
    <>
      <p className={css.file}>
        <Icon name="file" />
        <strong>{file.name}</strong>
        <span className="quiet tabular">
          {format.bytes(file.size)}
          {head !== undefined && ` · ${words.file.rows(head.total)}`}
        </span>
      </p>
      {problem !== undefined ? (
        <Alert text={words.file.refused(problem)} />
      ) : head === undefined || reading === undefined ? (
        <div aria-label={words.file.reading}>
          <Skeleton rows={5} height={3} />
        </div>
      ) : head.total === 0 ? (
        <Notice tone="warn">{words.file.empty}</Notice>
      ) : (
        <Plan file={file} head={head} reading={reading} />
      )}
    </>
  );
}

function Plan({ file, head, reading }: { file: File; head: FileHead; reading: FileReading }) {
  const words = useImportWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { search, change } = usePageSearch<NewImportSearch>();
  const refusal = useRefusal('shortLinks', 'create');
  const { installation } = useSession();
  const edge = useMemo(() => new URL(installation.edgeUrl), [installation]);
  const { data: domains } = useQuery(usableDomainsQuery);
  const { data: folders } = useQuery(allFoldersQuery);
  const { data: unfinished } = useQuery(unfinishedImportsQuery);
  const recognized = useMemo(() => detectFormat(head.header), [head]);
  const [fileFormat, setFileFormat] = useState<ImportFormat>(recognized ?? 'csv');
  const [changed, setChanged] = useState<ReadonlyMap<number, ColumnUse>>(new Map());
  const [result, setResult] = useState<CheckResult>();
  const [isPending, setPending] = useState(false);
  const isHere = useIsHere();
  const [intent] = useState(() => crypto.randomUUID());

  const uses = useMemo(
    () => readMapping(fileFormat, head.header).map((use, index) => changed.get(index) ?? use),
    [fileFormat, head, changed],
  );
  const header = useMemo(() => writeHeader(fileFormat, head.header, uses), [fileFormat, head, uses]);
  const hasDestination = uses.includes('destination');
  const domainId = domains?.find(({ id }) => id === search.toDomain)?.id;
  const folderId = folders?.find(({ id }) => id === search.toFolder)?.id;
  const targets = useMemo(
    () =>
      domains?.map((domain) => {
        const isAtEdge = domain.createdAt === null && domain.domain === edge.hostname;
        return { ...domain, shown: isAtEdge ? edge.host : domain.domain };
      }),
    [domains, edge],
  );
  useEffect(() => {
    if (targets === undefined || !hasDestination) return;
    reading.check({ format: fileFormat, header, domains: targets, domainId }, setResult);
  }, [reading, fileFormat, header, hasDestination, targets, domainId]);

  async function start(): Promise<void> {
    setPending(true);
    try {
      const isSame = header.every((name, index) => name === head.header[index]);
      const sent = isSame ? file : await reading.write(header);
      if (sent.size > maxImportBytes) throw new FileRefused(`must have at most ${maxImportBytes} bytes`);
      // Another header makes another call.
      const key = `${intent} ${fileFormat} ${header.length} ${hashOf(header)} ${domainId ?? ''} ${folderId ?? ''}`;
      const made = await startImport({ file: sent, name: file.name, format: fileFormat, domainId, folderId }, key);
      void keepFile(made.id, file.name, file);
      queries.setQueryData(['imports', 'one', made.id], made);
      void queries.invalidateQueries({ queryKey: ['imports'] });
      sayDone(words.start.started);
      if (isHere()) await navigate({ to: '/imports/$id', params: { id: made.id } });
      takeAway(file);
    } catch (error) {
      const refused = error instanceof FileRefused ? words.file.refused(error.message) : words.start.failed;
      sayFailed(refused, error, { label: words.tryAgain, onPress: () => void start() });
      setPending(false);
    }
  }

  const isFull = (unfinished?.count ?? 0) >= 3;
  const hint = refusal ?? (isFull ? words.start.full : hasDestination ? undefined : words.start.noDestination);
  return (
    <>
      <div className={css.settings}>
        <Select<ImportFormat>
          label={words.file.format}
          value={fileFormat}
          onChange={(next) => {
            setFileFormat(next);
            setChanged(new Map());
          }}
          choices={importFormats.map((id) => ({ id, label: id === 'csv' ? words.csv : formatNames[id] }))}
        />
        <Select
          label={words.file.domain}
          value={domainId ?? 'rows'}
          onChange={(next) => change({ toDomain: next === 'rows' ? undefined : next }, { replace: true })}
          choices={[
            { id: 'rows', label: words.file.domainOfRows },
            ...servingDomainsOf(targets ?? []).map(({ id, shown }) => ({ id, label: shown })),
          ]}
        />
        <Select
          label={words.file.folder}
          value={folderId ?? 'rows'}
          onChange={(next) => change({ toFolder: next === 'rows' ? undefined : next }, { replace: true })}
          choices={[
            { id: 'rows', label: words.file.folderOfRows },
            ...(folders ?? []).map(({ id, name }) => ({ id, label: name })),
          ]}
        />
        <div className={css.start}>
          <Button
            variant="primary"
            icon="play"
            isPending={isPending}
            refusal={hint}
            autoFocus
            onPress={() => void start()}
          >
            {isPending ? words.start.sending : words.start.start}
          </Button>
        </div>
      </div>
      {!hasDestination && (
        <Notice tone="warn" icon="warning">
          {words.columns.missing}
        </Notice>
      )}
      {hasDestination && <CheckSummary result={result} total={head.total} />}
      <PlanLimit ready={hasDestination ? (result?.ready ?? 0) : 0} />
      <ColumnTable
        format={fileFormat}
        head={head}
        uses={uses}
        isOpen={!hasDestination}
        onChange={(next) => setChanged(next)}
        changed={changed}
      />
      {hasDestination && result !== undefined && <Preview rows={result.preview} total={head.total} />}
    </>
  );
}

/** Says when more links would come than the plan allows: which rows fail by it, only their order tells. */
function PlanLimit({ ready }: { ready: number }) {
  const words = useImportWords();
  const limit = plans[useSession().organization.plan].shortLinks;
  const { data } = useQuery({ ...linkStateCountsQuery({}), enabled: limit !== null });
  if (limit === null || data === undefined) return null;
  const room = Math.max(0, limit - data.data.reduce((sum, { count }) => sum + count, 0));
  if (ready <= room) return null;
  return (
    <Notice tone="warn" icon="warning">
      {words.check.plan(limit, room)}
    </Notice>
  );
}

/** A short number of a header: an Idempotency-Key has at most 255 characters. */
function hashOf(header: readonly string[]): number {
  let hash = 0;
  for (const character of header.join('\n')) hash = (hash * 31 + character.codePointAt(0)!) % 4_294_967_291;
  return hash;
}
