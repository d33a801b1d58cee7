import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Import, undoImport } from '#console/api/imports.ts';
import { useCan } from '#console/app/can.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { Checkbox } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Chip } from '#console/ui/states.tsx';
import { useImportWords } from '#console/imports/words.ts';
import css from '#console/imports/imports.module.css';

/** Asks before the links of an import are removed, or those that an earlier undo kept. */
export function UndoDialog({ one, onClose }: { one: Import; onClose: () => void }) {
  const words = useImportWords().undo;
  const ui = useUiWords();
  const queries = useQueryClient();
  const isAgain = one.undo !== null;
  const [includeChanged, setIncludeChanged] = useState(isAgain);
  const [intent] = useState(() => crypto.randomUUID());

  async function undo(): Promise<void> {
    onClose();
    try {
      const key = `${intent} ${String(includeChanged)}`;
      queries.setQueryData(['imports', 'one', one.id], await undoImport(one.id, includeChanged, key));
      sayDone(words.started);
    } catch (error) {
      sayFailed(words.failed, error, { label: ui.tryAgain, onPress: () => void undo() });
    }
    await queries.invalidateQueries({ queryKey: ['imports'] });
    await queries.invalidateQueries({ queryKey: ['links'] });
  }

  return (
    <Confirm
      title={words.title}
      isOpen
      onClose={onClose}
      confirmLabel={words.confirm}
      isDanger
      onConfirm={() => void undo()}
    >
      {one.undo === null ? (
        <div className={css.stack}>
          <p>{words.text(one.imported)}</p>
          <p>{words.kept}</p>
          <Checkbox isSelected={includeChanged} onChange={setIncludeChanged}>
            {words.include}
          </Checkbox>
        </div>
      ) : (
        <p>{words.keptCount(one.undo.kept)}.</p>
      )}
    </Confirm>
  );
}

/** What an undo has removed and kept. @param onMore asks to remove the kept ones too. */
export function UndoResult({ one, onMore }: { one: Import; onMore: () => void }) {
  const words = useImportWords().undo;
  const ui = useUiWords();
  const canDelete = useCan('shortLinks', 'delete');
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
          <Button
            size="small"
            icon="trash"
            isDisabled={!canDelete}
            hint={canDelete ? undefined : ui.notAllowed}
            onPress={onMore}
          >
            {words.again}
          </Button>
        </div>
      )}
    </section>
  );
}
