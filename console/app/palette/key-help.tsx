import { Dialog } from '#console/ui/form/dialog.tsx';
import { useModKey } from '#console/app/keys.ts';
import { usePreferences } from '#console/app/preferences.ts';
import { useKeyWords } from './words.ts';
import css from './key-help.module.css';

const singleKey = /^[a-z/?]$/;

/** The list of all keys that act, opened by `?`. */
export default function KeyHelp({ onClose }: { onClose: () => void }) {
  const words = useKeyWords();
  const mod = useModKey();
  const { hasSingleKeys } = usePreferences();
  const groups = [
    {
      title: words.everywhere,
      keys: [
        [`${mod} K`, words.palette],
        ['c', words.newLink],
        [`${mod} V`, words.paste],
        ['g l', words.goLinks],
        ['g s', words.goStats],
        ['g d', words.goDomains],
        ['g w', words.goWebhooks],
        ['g i', words.goImports],
        [`${mod} Enter`, words.save],
        ['Esc', words.back],
        ['?', words.help],
      ],
    },
    {
      title: words.inLists,
      keys: [
        ['/', words.search],
        ['j ↓', words.next],
        ['k ↑', words.previous],
        ['x', words.select],
        [`${mod} A`, words.all],
        ['Enter', words.open],
        ['e', words.edit],
        ['y', words.copy],
        ['q', words.qr],
        ['t', words.tag],
        ['m', words.move],
        ['o', words.power],
      ],
    },
    {
      title: words.inStats,
      keys: [
        ['d w m y', words.periods],
        ['← →', words.shift],
        ['Esc', words.lastFilter],
      ],
    },
  ] as const;
  const acting = groups.map(({ title, keys }) => ({
    title,
    keys: keys
      .map(
        ([key, meaning]) => [key.split(' ').filter((one) => hasSingleKeys || !singleKey.test(one)), meaning] as const,
      )
      .filter(([key]) => key.length > 0),
  }));
  return (
    <Dialog title={words.title} onClose={onClose}>
      {!hasSingleKeys && <p className="quiet">{words.singleKeysOff}</p>}
      {acting.map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className={css.keys}>
            {keys.map(([key, meaning]) => (
              <div key={key.join(' ')}>
                <dt>
                  {key.map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
