import { useResultWords } from '#console/imports/result/words.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { cancelImport, type Import, importQuery, isUnderWay } from '#console/api/links/imports.ts';
import { refusalWords } from '#console/api/refusal.ts';
import { useRefusal } from '#console/app/can.ts';
import { lastSearch } from '#console/app/places/use-page-search.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { StateChip, useImportName } from '#console/imports/about.tsx';
import { useImportWords } from '#console/imports/words.ts';
import { unnamedColumns } from './ignored-columns.ts';
import { ImportProgress } from './progress.tsx';
import { Rows } from './rows.tsx';
import { UndoDialog, UndoResult } from './undo.tsx';
import css from '#console/imports/imports.module.css';
import layout from '#console/ui/page/layout.module.css';
import { Gone, Loaded } from '#console/ui/page/loaded.tsx';

/** /imports/<id> */
export default function ImportPage() {
  const words = useImportWords();
  const own = useResultWords();
  const { id } = useParams({ from: '/frame/imports/$id' });
  const query = useQuery(importQuery(id));
  useTitle(words.imports);
  return (
    <Loaded
      query={query}
      rows={5}
      gone={<Gone icon="import" title={own.result.gone} to="/imports" back={own.result.back} />}
    >
      {(one) => <ShownImport key={id} one={one} readAtMs={query.dataUpdatedAt} />}
    </Loaded>
  );
}

function ShownImport({ one, readAtMs }: { one: Import; readAtMs: number }) {
  const words = useImportWords();
  const own = useResultWords();
  const format = useFormat();
  const now = useNow();
  const { state, total, imported, skipped, failed, notMade, remarks, createdAt, undo } = one;
  const ignored = unnamedColumns(one);
  const name = useImportName(one);
  const [asked, setAsked] = useState<'cancel' | 'undo'>();
  const done = imported + skipped + failed;
  const close = (): void => setAsked(undefined);
  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/imports" search={lastSearch('/imports')}>
          {words.imports}
        </Link>
      </p>
      <div className={layout.head}>
        <h1>{name.file ?? name.kind}</h1>
        <StateChip state={state} failed={failed} />
        <span className={layout.gap} />
        <Actions one={one} onCancel={() => setAsked('cancel')} onUndo={() => setAsked('undo')} />
      </div>
      <p className="quiet" title={format.whole(createdAt)}>
        {name.file !== undefined && `${name.kind} · `}
        {format.moment(createdAt)} · {format.ago(createdAt, now)}
      </p>
      {isUnderWay(one) &&
        (undo === null ? (
          <ImportProgress
            key="import"
            label={words.progress.label}
            done={done}
            total={total}
            describe={words.progress.rows}
            atMs={readAtMs}
          />
        ) : (
          <ImportProgress
            key="undo"
            label={words.progress.undoLabel}
            done={imported - undo.left}
            total={imported}
            describe={words.progress.links}
            atMs={readAtMs}
          />
        ))}
      {undo !== null && <UndoResult one={one} onMore={() => setAsked('undo')} />}
      {notMade > 0 && <Notice tone="warn">{own.result.early(notMade)}</Notice>}
      {ignored.length > 0 && <p className={`quiet ${css.wrap}`}>{own.result.ignored(ignored.join(', '))}</p>}
      {remarks.map((remark) => (
        <p key={remark} className={`quiet ${css.wrap}`}>
          {refusalWords(remark)}
        </p>
      ))}
      <Rows one={one} />
      {asked === 'cancel' && <CancelDialog one={one} onClose={close} />}
      {asked === 'undo' && <UndoDialog one={one} onClose={close} />}
    </article>
  );
}

function Actions({ one, onCancel, onUndo }: { one: Import; onCancel: () => void; onUndo: () => void }) {
  const own = useResultWords();
  const refusedCancel = useRefusal('shortLinks', 'create');
  const refusedUndo = useRefusal('shortLinks', 'delete');
  if (one.undo !== null) return null;
  if (isUnderWay(one))
    return (
      <Button icon="close" refusal={refusedCancel} onPress={onCancel}>
        {own.cancel.button}
      </Button>
    );
  if (one.imported === 0) return null;
  return (
    <Button icon="undo" refusal={refusedUndo} onPress={onUndo}>
      {own.undo.button}
    </Button>
  );
}

function CancelDialog({ one: { id }, onClose }: { one: Import; onClose: () => void }) {
  const words = useResultWords().cancel;
  const queries = useQueryClient();
  return (
    <ConfirmChange
      title={words.title}
      onClose={onClose}
      submitLabel={words.button}
      change={{
        send: (_input, intent) => cancelImport(id, intent),
        done: words.done,
        failed: words.failed,
        refresh: [['imports']],
        onDone: (one) => queries.setQueryData(['imports', 'one', id], one),
      }}
    >
      <p>{words.text}</p>
    </ConfirmChange>
  );
}
