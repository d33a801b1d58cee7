import { useQuery } from '@tanstack/react-query';
import { linkHistoryQuery } from '#console/api/links/links.ts';
import { callerName } from '#console/i18n/nouns.ts';
import { useFieldText } from '#console/links/field-text.ts';
import { useFieldName } from '#console/processes/field-names.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { type Draft, fieldsOf } from './draft.ts';
import { useEditorWords } from './words.ts';
import css from './editor.module.css';
import layout from '#console/ui/page/layout.module.css';

interface ConflictProps {
  id: string;
  /** The fields of the API's body that both changed. */
  fields: readonly string[];
  mine: Draft;
  theirs: Draft;
  onTheirs: () => void;
  onMine: () => void;
  onClose: () => void;
}

/** Shows what another caller saved meanwhile beside one's own text, before anything is overwritten. */
export function Conflict({ id, fields, mine, theirs, onTheirs, onMine, onClose }: ConflictProps) {
  const words = useEditorWords();
  const fieldName = useFieldName();
  const shown = useShown(fields);
  const by = useQuery({ ...linkHistoryQuery(id), staleTime: 0 }).data?.data[0]?.by;
  const who = [by?.client, callerName(by?.name ?? null)].filter((name) => typeof name === 'string').join(' · ');
  return (
    <Dialog
      title={words.conflictTitle}
      onClose={onClose}
      role="alertdialog"
      actions={
        <>
          <Button variant="plain" onPress={onClose}>
            {words.cancel}
          </Button>
          <Button onPress={onTheirs}>{words.takeTheirs}</Button>
          <Button variant="primary" onPress={onMine}>
            {words.overwrite}
          </Button>
        </>
      }
    >
      <p>{words.conflictText(who)}</p>
      <table className={`small ${layout.table} ${css.conflict}`}>
        <thead>
          <tr>
            <th scope="col">{words.field}</th>
            <th scope="col">{words.theirs}</th>
            <th scope="col">{words.yours}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((name) => (
            <tr key={name}>
              <th scope="row">{fieldName(name)}</th>
              <td>{shown(name, theirs)}</td>
              <td>{shown(name, mine)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

/** @returns what writes the value of a field of the API's body. */
function useShown(fields: readonly string[]): (field: string, draft: Draft) => string {
  const { textOf } = useFieldText({ hasPictures: fields.includes('metaTags') });
  return (field, draft) => {
    const value = (fieldsOf(draft) as Record<string, unknown>)[field];
    if (value === true || field === 'qrCode') return value === null ? '–' : '✓';
    return (value === false ? '' : textOf(field, value)) || '–';
  };
}
