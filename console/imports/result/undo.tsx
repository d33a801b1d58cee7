import { useResultWords } from '#console/imports/result/words.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Import, undoImport } from '#console/api/links/imports.ts';
import { useRefusal } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { Checkbox } from '#console/ui/form/field.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import css from '#console/imports/imports.module.css';

/** Asks before the links of an import are removed, or those that an earlier undo kept. */
export function UndoDialog({ one, onClose }: { one: Import; onClose: () => void }) {
  const words = useResultWords().undo;
  const queries = useQueryClient();
  const isAgain = one.undo !== null;
  const [includeChanged, setIncludeChanged] = useState(isAgain);
  return (
    <ConfirmChange
      title={words.title}
      onClose={onClose}
      submitLabel={words.confirm}
      change={{
        send: (_input, intent) => undoImport(one.id, includeChanged, intent),
        done: words.started,
        failed: words.failed,
        refresh: [['imports'], ['links']],
        onDone: (undoing) => queries.setQueryData(['imports', 'one', one.id], undoing),
      }}
    >
      {one.undo === null ? (
        <>
          <p>{words.text(one.imported)}</p>
          <p>{words.kept}</p>
          <Checkbox isSelected={includeChanged} onChange={setIncludeChanged}>
            {words.include}
          </Checkbox>
        </>
      ) : (
        <p>{words.keptCount(one.undo.kept)}.</p>
      )}
    </ConfirmChange>
  );
}

/** What an undo has removed and kept. @param onMore asks to remove the kept ones too. */
export function UndoResult({ one, onMore }: { one: Import; onMore: () => void }) {
  const words = useResultWords().undo;
  const refusal = useRefusal('shortLinks', 'delete');
  if (one.undo === null) return null;
  const { removed, kept, finishedAt } = one.undo;
  const before = finishedAt === null ? 0 : one.imported - removed - kept;
  return (
    <section className={css.card} aria-label={words.button}>
      <p className={css.chips}>
        <Chip tone="good" icon="check">
          {words.removed(removed)}
        </Chip>
        {kept > 0 && <Chip tone="warn">{words.keptCount(kept)}</Chip>}
        {before > 0 && <Chip>{words.before(before)}</Chip>}
      </p>
      {finishedAt !== null && kept > 0 && (
        <div>
          <Button size="small" icon="trash" refusal={refusal} onPress={onMore}>
            {words.again}
          </Button>
        </div>
      )}
    </section>
  );
}
