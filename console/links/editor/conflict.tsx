import { useQuery } from '@tanstack/react-query';
import { allFoldersQuery } from '#console/api/links/labels.ts';
import { linkHistoryQuery } from '#console/api/links/links.ts';
import { callerName } from '#console/i18n/nouns.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import type { Draft, UtmName } from './draft.ts';
import { useEditorWords } from './words.ts';
import css from './editor.module.css';
import layout from '#console/ui/page/layout.module.css';

interface ConflictProps {
  /** The link's id. */
  id: string;
  /** The fields that both changed. */
  fields: readonly (keyof Draft)[];
  mine: Draft;
  theirs: Draft;
  onTheirs: () => void;
  onMine: () => void;
  onClose: () => void;
}

/** Shows what another caller saved meanwhile beside one's own text, before anything is overwritten. */
export function Conflict({ id, fields, mine, theirs, onTheirs, onMine, onClose }: ConflictProps) {
  const words = useEditorWords();
  const ui = useUiWords();
  const label = useLabels();
  const shown = useShown();
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
            {ui.cancel}
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
              <th scope="row">{label(name)}</th>
              <td>{shown(name, theirs)}</td>
              <td>{shown(name, mine)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

/** @returns what names a field as the form does. */
function useLabels(): (field: keyof Draft) => string {
  const words = useEditorWords();
  const { qr } = useLinkWords();
  const others = {
    folderId: words.folder,
    expiresAt: words.ends,
    isActive: words.active,
    enableDeepLinking: words.deepLinks,
    iosDeepLink: words.ios,
    androidDeepLink: words.android,
    metaTitle: words.cards,
    metaDescription: words.cards,
    metaImageId: words.cards,
    qrCode: qr,
  };
  return (field) => {
    if (field in others) return others[field as keyof typeof others];
    if (field in words.utm) return `${words.campaign}: ${words.utm[field as UtmName]}`;
    return words[field as Exclude<keyof Draft, keyof typeof others | UtmName>];
  };
}

/** @returns what writes the value of a field of a draft. */
function useShown(): (field: keyof Draft, draft: Draft) => string {
  const { data: folders = [] } = useQuery(allFoldersQuery);
  return (field, draft) => {
    const value = draft[field];
    if (field === 'rules') return draft.rules.map(({ destination }) => destination).join(', ') || '–';
    if (field === 'folderId') return folders.find(({ id }) => id === value)?.name ?? draft.folderId;
    if (field === 'expiresAt') return draft.expiresAt.replace('T', ' ') || '–';
    if (typeof value === 'boolean') return value ? '✓' : '–';
    if (Array.isArray(value)) return value.join(', ') || '–';
    if (typeof value === 'string') return value || '–';
    return value === null || value === undefined ? '–' : '…';
  };
}
