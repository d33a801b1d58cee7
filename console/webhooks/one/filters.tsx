import { useState } from 'react';
import { type DeliveredType, deliveredTypes } from '#core/webhooks/events.ts';
import { deliveryStatuses } from '#core/webhooks/standing.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { isId } from '#console/app/places/search.ts';
import type { WebhookSearch } from '#console/webhooks/search.ts';
import { useStandingWords } from '#console/webhooks/standing.tsx';
import { useWebhookWords } from '#console/webhooks/words.ts';
import { useWebhookPageWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';
import { DayFields, FilterSelect } from '#console/ui/list/filters.tsx';
import type { SearchChange } from '#console/app/places/use-page-search.ts';
import { Tabs } from '#console/ui/page/tabs.tsx';

interface FiltersProps {
  search: WebhookSearch;
  onChange: (change: SearchChange<WebhookSearch>) => void;
}

/** The filters of deliveries, as the address has them. */
export function Filters({ search, onChange }: FiltersProps) {
  const words = useWebhookPageWords();
  const { types } = useWebhookWords();
  const { states } = useStandingWords();
  const { status, type, since, until, event } = search;
  return (
    <div className={css.filters} role="group" aria-label={words.filters}>
      <Tabs
        label={words.filters}
        current={status}
        onChange={(one) => onChange({ status: one })}
        tabs={([undefined, ...deliveryStatuses] as const).map((id) => ({
          id,
          label: id === undefined ? words.all : states[id],
        }))}
      />
      <FilterSelect<DeliveredType>
        label={words.type}
        all={words.everyType}
        value={type}
        onChange={(next) => onChange({ type: next })}
        choices={deliveredTypes.map((id) => ({ id, label: types[id] }))}
      />
      <DayFields since={since} until={until} onChange={onChange} />
      <EventField key={event ?? ''} id={event} onChange={(next) => onChange({ event: next })} />
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
