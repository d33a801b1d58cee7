import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '#console/api/error.ts';
import { cancelImport, type Import, importQuery, isUnderWay } from '#console/api/imports.ts';
import { useCan } from '#console/app/can.ts';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/now.ts';
import { Empty, Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { StateChip } from '#console/imports/state-chip.tsx';
import { formatNames, useImportWords } from '#console/imports/words.ts';
import { Progress } from './progress.tsx';
import { Rows } from './rows.tsx';
import { UndoDialog, UndoResult } from './undo.tsx';
import css from '#console/imports/imports.module.css';

/** /imports/<id> */
export function ImportPage() {
  const words = useImportWords();
  const { id } = useParams({ from: '/frame/imports/$id' });
  const { data, error, dataUpdatedAt, refetch } = useQuery(importQuery(id));
  useTitle(words.title);
  if (data !== undefined) return <ShownImport key={id} one={data} readAtMs={dataUpdatedAt} />;
  if (error instanceof ApiError && [400, 403, 404].includes(error.status))
    return (
      <Empty
        icon="import"
        title={words.result.gone}
        action={
          <Link to="/imports" className={buttonClass('primary')}>
            {words.result.back}
          </Link>
        }
      />
    );
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Skeleton rows={5} height={3} />;
}

function ShownImport({ one, readAtMs }: { one: Import; readAtMs: number }) {
  const words = useImportWords();
  const format = useFormat();
  const now = useNow();
  const { state, total, imported, skipped, failed, notMade, ignoredColumns, remarks, createdAt, undo } = one;
  const [asked, setAsked] = useState<'cancel' | 'undo'>();
  const done = imported + skipped + failed;
  const close = (): void => setAsked(undefined);
  return (
    <div className={css.page}>
      <p>
        <Link to="/imports">{words.title}</Link>
      </p>
      <div className={css.head}>
        <div className={css.headText}>
          <h1>{words.importOf(one.format === 'csv' ? words.csv : formatNames[one.format])}</h1>
          <span className="quiet" title={format.whole(createdAt)}>
            {format.moment(createdAt)} · {format.ago(createdAt, now)}
          </span>
        </div>
        <StateChip state={state} />
        <Actions one={one} onCancel={() => setAsked('cancel')} onUndo={() => setAsked('undo')} />
      </div>
      {isUnderWay(one) &&
        (undo === null ? (
          <Progress
            key="import"
            label={words.progress.label}
            done={done}
            total={total}
            describe={words.progress.rows}
            atMs={readAtMs}
          />
        ) : (
          <Progress
            key="undo"
            label={words.progress.undoLabel}
            done={imported - undo.left}
            total={imported}
            describe={words.progress.links}
            atMs={readAtMs}
          />
        ))}
      {undo !== null && <UndoResult one={one} onMore={() => setAsked('undo')} />}
      {notMade > 0 && <Notice tone="warn">{words.result.early(notMade)}</Notice>}
      {ignoredColumns.length > 0 && (
        <p className={`quiet ${css.wrap}`}>{words.result.ignored(ignoredColumns.join(', '))}</p>
      )}
      {remarks.map((remark) => (
        <p key={remark} className={`quiet ${css.wrap}`}>
          {remark}
        </p>
      ))}
      <Rows one={one} />
      {asked === 'cancel' && <CancelDialog one={one} onClose={close} />}
      {asked === 'undo' && <UndoDialog one={one} onClose={close} />}
    </div>
  );
}

function Actions({ one, onCancel, onUndo }: { one: Import; onCancel: () => void; onUndo: () => void }) {
  const words = useImportWords();
  const ui = useUiWords();
  const canCreate = useCan('shortLinks', 'create');
  const canDelete = useCan('shortLinks', 'delete');
  if (one.undo !== null) return null;
  if (isUnderWay(one))
    return (
      <Button icon="close" isDisabled={!canCreate} hint={canCreate ? undefined : ui.notAllowed} onPress={onCancel}>
        {words.cancel.button}
      </Button>
    );
  if (one.imported === 0) return null;
  return (
    <Button icon="undo" isDisabled={!canDelete} hint={canDelete ? undefined : ui.notAllowed} onPress={onUndo}>
      {words.undo.button}
    </Button>
  );
}

function CancelDialog({ one, onClose }: { one: Import; onClose: () => void }) {
  const words = useImportWords().cancel;
  const ui = useUiWords();
  const queries = useQueryClient();
  const [intent] = useState(() => crypto.randomUUID());

  async function cancel(): Promise<void> {
    onClose();
    try {
      queries.setQueryData(['imports', 'one', one.id], await cancelImport(one.id, intent));
      sayDone(words.done);
    } catch (error) {
      sayFailed(words.failed, error, { label: ui.tryAgain, onPress: () => void cancel() });
    }
    await queries.invalidateQueries({ queryKey: ['imports'] });
  }

  return (
    <Confirm
      title={words.title}
      isOpen
      onClose={onClose}
      confirmLabel={words.confirm}
      isDanger
      onConfirm={() => void cancel()}
    >
      <p>{words.text}</p>
    </Confirm>
  );
}
