import { type EventType, eventTypes } from '#core/webhooks/events.ts';
import { Checkbox, TextField } from '#console/ui/form/field.tsx';
import { useWebhookWords } from './words.ts';
import css from './webhooks.module.css';

/** What the fields hold. */
export interface FieldValues {
  url: string;
  name: string;
  events: readonly EventType[];
}

const groups = ['link', 'domain', 'import', 'webhook'] as const;

/** Fields of a webhook, new or not. @param issues what is wrong, by field. */
export function WebhookFields({
  values,
  onChange,
  issues,
}: {
  values: FieldValues;
  onChange: (change: Partial<FieldValues>) => void;
  issues: Record<string, string>;
}) {
  const words = useWebhookWords();
  return (
    <>
      <TextField
        label={words.url}
        value={values.url}
        onChange={(url) => onChange({ url })}
        hint={words.urlHint}
        error={issues.url}
        placeholder="https://hooks.example.com/waymark"
        autoComplete="off"
        inputMode="url"
        autoFocus
      />
      <TextField
        label={words.name}
        value={values.name}
        onChange={(name) => onChange({ name })}
        hint={words.nameHint}
        error={issues.name}
        autoComplete="off"
      />
      <EventChoice events={values.events} onChange={(events) => onChange({ events })} error={issues.events} />
    </>
  );
}

function EventChoice({
  events,
  onChange,
  error,
}: {
  events: readonly EventType[];
  onChange: (events: EventType[]) => void;
  error: string | undefined;
}) {
  const words = useWebhookWords();
  const problem = events.length === 0 ? words.noEvents : error;
  const choose = (type: EventType, isChosen: boolean): void =>
    onChange(eventTypes.filter((one) => (one === type ? isChosen : events.includes(one))));
  return (
    <fieldset className={css.choice}>
      <legend>{words.events}</legend>
      <Checkbox
        isSelected={events.length === eventTypes.length}
        isIndeterminate={events.length > 0 && events.length < eventTypes.length}
        onChange={(isChosen) => onChange(isChosen ? [...eventTypes] : [])}
      >
        {words.allEvents}
      </Checkbox>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={words.groups[group]} className={css.choices}>
          {eventTypes
            .filter((type) => type.startsWith(`${group}.`))
            .map((type) => (
              <Checkbox key={type} isSelected={events.includes(type)} onChange={(isChosen) => choose(type, isChosen)}>
                {words.types[type]}
              </Checkbox>
            ))}
        </div>
      ))}
      {problem !== undefined && (
        <p className={css.bad} role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
