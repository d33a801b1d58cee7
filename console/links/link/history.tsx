import { useQuery, useQueryClient } from '@tanstack/react-query';
import { linkHistoryQuery, undoChange } from '#console/api/links.ts';
import type { LinkChange, ShortLink } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button } from '#console/ui/button.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/now.ts';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';

const longestValue = 80;

/** The changes of a link with who and when; each can be undone. */
export function History({ link }: { link: ShortLink }) {
  const words = useLinkPageWords();
  const tryAgain = useLinkWords().tryAgain;
  const format = useFormat();
  const now = useNow();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(linkHistoryQuery(link.id));

  async function undo(change: LinkChange): Promise<void> {
    try {
      await undoChange(link.id, change.id);
      sayDone(words.undoDone);
      await queries.invalidateQueries({ queryKey: ['links'] });
    } catch (failure) {
      sayFailed(words.notUndone, failure, { label: tryAgain, onPress: () => void undo(change) });
    }
  }

  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const nameOf = ({ type, name }: LinkChange['by']): string =>
    name ?? (type === 'staff' ? words.staff : type === 'key' ? words.someKey : words.somebody);
  const shown = (value: unknown): string => {
    if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      return words.none;
    if (value === true) return words.set;
    const text = textOf(value);
    return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
  };
  return (
    <ol className={css.history}>
      {data.data.map((change) => {
        const fields = change.changes.map(({ field }) => field).join(', ');
        return (
          <li key={change.id}>
            <div>
              <p>
                {change.undoes === null ? words.changed(fields) : words.undone(fields)} {words.by(nameOf(change.by))}
              </p>
              <ul className={css.values}>
                {change.changes.map(({ field, before, after }) => (
                  <li key={field}>
                    {field}: {shown(before)} → {shown(after)}
                  </li>
                ))}
              </ul>
            </div>
            <time dateTime={change.at} title={format.whole(change.at)}>
              {format.ago(change.at, now)}
            </time>
            <Button size="small" icon="undo" onPress={() => void undo(change)}>
              {words.undo}
            </Button>
          </li>
        );
      })}
      <li>
        <p>{words.made}</p>
        <time dateTime={link.createdAt} title={format.whole(link.createdAt)}>
          {format.moment(link.createdAt)}
        </time>
      </li>
    </ol>
  );
}

/** A value of the history as people read it: of a destination its address, of a list its members. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'object' && value !== null && 'value' in value && typeof value.value === 'string')
    return value.value;
  return JSON.stringify(value);
}
