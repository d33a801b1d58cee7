import { useFieldName } from '#console/processes/field-names.ts';
import { useChange } from '#console/ui/form/use-change.ts';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { callerName } from '#console/i18n/nouns.ts';
import { useQuery } from '@tanstack/react-query';
import { linkHistoryQuery, undoChange } from '#console/api/links/links.ts';
import type { LinkChange, ShortLink } from '#console/api/types.ts';
import { Button } from '#console/ui/button.tsx';
import { Moment } from '#console/ui/page/moment.tsx';
import { type ChangedPart, useFieldText } from '#console/links/field-text.ts';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';

const longestValue = 200;
// Follows from the domain and the slug.
const derived = 'shortUrl';

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
  const query = useQuery(linkHistoryQuery(link.id));
  const fields = query.data?.data.flatMap(({ changes }) => changes.map(({ field }) => field)) ?? [];
  const { tell } = useFieldText({ hasPictures: fields.includes('qrCode') || fields.includes('metaTags') });
  const shown = (text: string): string =>
    text.length > longestValue ? `${text.slice(0, longestValue)}…` : text || words.none;
  return (
    <Loaded query={query} rows={3}>
      {({ data }) => (
        <ol className={css.history}>
          {data.map((change) => {
            const changes = change.changes.filter(({ field }) => field !== derived);
            const names = changes.map(({ field, after }) => fieldName(field, after)).join(', ');
            // What became of a field that is on or off stands in the sentence.
            const parts = changes.flatMap((one): ChangedPart[] => (typeof one.after === 'boolean' ? [] : tell(one)));
            return (
              <li key={change.id}>
                <div>
                  <p>
                    {change.undoes === null ? words.changed(names) : words.undone(names)}{' '}
                    {words.by(nameOf(change.by), change.by.client)}
                  </p>
                  <ul className="quiet small breaks">
                    {parts.map(({ name, before, after }) => (
                      <li key={name}>
                        {name}: {shown(before)} → {shown(after)}
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
