import { setUtm, utmNames as parameterNames } from '#core/routing/utm.ts';
import { destinationOf } from '#console/links/editor/destination/destination.ts';
import { type Draft, utmNames } from '#console/links/editor/draft.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import css from '#console/links/editor/editor.module.css';

/** Where visitors are led with the campaign's values, the values marked; and which of the destination's own they replace. */
export function CampaignResult({ draft }: { draft: Draft }) {
  const words = useEditorWords();
  const { type, value } = destinationOf(draft.destination);
  const values = utmNames.map((name) => draft[name].trim() || null);
  const before = URL.parse(value);
  if (type !== 'link' || before === null || values.every((one) => one === null)) return null;
  const result = setUtm(value, values as unknown as Parameters<typeof setUtm>[1]);
  const replaced = parameterNames.filter((name, index) => {
    const own = before.searchParams.get(name);
    return values[index] !== null && own !== null && own !== values[index];
  });
  const pairs = new Set(parameterNames.filter((_name, index) => values[index] !== null));
  // Split at the marks of the query, which stay where they are.
  const parts = result.split(/(?<=[?&])|(?=[&#])/);
  return (
    <div className={css.whole}>
      <p className={css.resultLabel}>{words.leadsTo}</p>
      <p className={css.result}>
        {parts.map((part, index) => {
          const isSet = pairs.has(part.slice(0, Math.max(0, part.indexOf('='))) as (typeof parameterNames)[number]);
          // oxlint-disable-next-line react/no-array-index-key -- parts of one address have no other name
          return isSet ? <mark key={index}>{part}</mark> : <span key={index}>{part}</span>;
        })}
      </p>
      {replaced.length > 0 && <p className="quiet">{words.replaces(replaced.join(', '))}</p>}
    </div>
  );
}
