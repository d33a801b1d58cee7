import { useState } from 'react';
import { deliveredTypes, type DeliveredType } from '#core/webhooks/events.ts';
import { deliveryStatuses } from '#core/webhooks/standing.ts';
import { Select, TextField } from '#console/ui/field.tsx';
import { isId, type WebhookSearch } from '#console/webhooks/search.ts';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useWebhookPageWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';

/** The filters of deliveries, as the address has them. */
export function Filters({ search, onChange }: { search: WebhookSearch; onChange: (search: WebhookSearch) => void }) {
  const words = useWebhookPageWords();
  const { states, types } = useWebhookWords();
  const { status, type, since, until } = search;
  /** The search with other values; an empty one is left out, and the pages begin anew. */
  const set = (next: { [Name in keyof WebhookSearch]?: WebhookSearch[Name] | undefined }): void => {
    const { page: _page, ...rest } = { ...search, ...next };
    onChange(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)));
  };
  return (
    <div className={css.filters} role="group" aria-label={words.filters}>
      <div className={css.tabs}>
        {([undefined, ...deliveryStatuses] as const).map((one) => (
          <button
            key={one ?? 'all'}
            type="button"
            aria-pressed={status === one}
            className={css.tab}
            onClick={() => set({ status: one })}
          >
            {one === undefined ? words.all : states[one]}
          </button>
        ))}
      </div>
      <Select<DeliveredType | 'all'>
        label={words.type}
        value={type ?? 'all'}
        onChange={(next) => set({ type: next === 'all' ? undefined : next })}
        choices={[
          { id: 'all', label: words.everyType },
          ...deliveredTypes.map((one) => ({ id: one, label: types[one] })),
        ]}
      />
      <TextField
        label={words.since}
        type="date"
        value={since ?? ''}
        onChange={(day) => set({ since: day === '' ? undefined : day })}
      />
      <TextField
        label={words.until}
        type="date"
        value={until ?? ''}
        onChange={(day) => set({ until: day === '' ? undefined : day })}
      />
      <EventField key={search.event ?? ''} id={search.event} onChange={(event) => set({ event })} />
    </div>
  );
}

/** Filters by an event as soon as its whole id is there. */
function EventField({ id, onChange }: { id: string | undefined; onChange: (id: string | undefined) => void }) {
  const words = useWebhookPageWords();
  const [text, setText] = useState(id ?? '');
  const [isWrong, setWrong] = useState(false);
  const take = (typed: string): void => {
    setText(typed);
    setWrong(false);
    const next = typed.trim();
    if (next === '' ? id !== undefined : isId(next)) onChange(next === '' ? undefined : next);
  };
  return (
    <TextField
      label={words.eventId}
      value={text}
      onChange={take}
      onBlur={() => setWrong(text.trim() !== '' && !isId(text.trim()))}
      error={isWrong ? words.notId : undefined}
      autoComplete="off"
      isMono
    />
  );
}
