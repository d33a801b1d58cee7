import { setPreferences, usePreferences } from '#console/app/preferences.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Menu, type MenuAction } from '#console/ui/menu.tsx';
import { rowColumns } from './row.tsx';

export function ViewMenu() {
  const words = useLinkWords();
  const { isDense, hiddenColumns } = usePreferences();
  return (
    <Menu
      label={words.view}
      trigger="list"
      groups={[
        [choice('dense', words.dense, isDense, () => setPreferences({ isDense: !isDense }))],
        rowColumns.map((column) => {
          const isHidden = hiddenColumns.includes(column);
          const others = hiddenColumns.filter((one) => one !== column);
          return choice(column, words.columns[column], !isHidden, () =>
            setPreferences({ hiddenColumns: isHidden ? others : [...others, column] }),
          );
        }),
      ]}
    />
  );
}

function choice(id: string, label: string, isOn: boolean, onAction: () => void): MenuAction {
  return { id, label, onAction, icon: isOn ? 'check' : undefined };
}
