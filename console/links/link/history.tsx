import { useFieldName } from '#console/processes/field-names.ts';
import { useChange } from '#console/ui/form/use-change.ts';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { callerName } from '#console/i18n/nouns.ts';
import { useQuery } from '@tanstack/react-query';
import { linkHistoryQuery, undoChange } from '#console/api/links/links.ts';
import type { LinkChange, ShortLink } from '#console/api/types.ts';
import { Button } from '#console/ui/button.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { fieldText } from '#console/links/field-text.ts';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';

const longestValue = 80;

/** The changes of a link with who and when; each can be undone. */
export function History({ link }: { link: ShortLink }) {
  const words = useLinkPageWords();
  const fieldName = useFieldName();
  const undo = useChange({
    send: (change: LinkChange) => undoChange(link.id, change.id),
    done: words.undoDone,
    failed: words.notUndone,
    refresh: [['links']],
  });
  const nameOf = ({ type, name }: LinkChange['by']): string =>
    callerName(name) ?? (type === 'staff' ? words.staff : type === 'key' ? words.someKey : words.somebody);
  const shown = (value: unknown): string => {
    if (typeof value === 'boolean') return fieldName(String(value));
    const text = fieldText(value) || words.none;
    return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
  };
  return (
    <Loaded query={useQuery(linkHistoryQuery(link.id))} rows={3}>
      {({ data }) => (
        <ol className={css.history}>
          {data.map((change) => {
            const fields = change.changes.map(({ field }) => fieldName(field)).join(', ');
            return (
              <li key={change.id}>
                <div>
                  <p>
                    {change.undoes === null ? words.changed(fields) : words.undone(fields)}{' '}
                    {words.by(nameOf(change.by), change.by.client)}
                  </p>
                  <ul className={`quiet small ${css.values}`}>
                    {change.changes.map(({ field, before, after }) => (
                      <li key={field}>
                        {typeof after === 'boolean'
                          ? fieldName(field).replace(/ (?:or|oder) .*/, '')
                          : fieldName(field)}
                        : {shown(before)} → {shown(after)}
                      </li>
                    ))}
                  </ul>
                </div>
                <Moment at={change.at} as="ago" className="quiet small" />
                <Button size="small" icon="undo" onPress={() => undo.send(change)}>
                  {words.undo}
                </Button>
              </li>
            );
          })}
          <li>
            <p>{words.made}</p>
            <Moment at={link.createdAt} className="quiet small" />
          </li>
        </ol>
      )}
    </Loaded>
  );
}
