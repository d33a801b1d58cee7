import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { utmNames as parameterNames, type UtmValues } from '#core/routing/utm.ts';
import { type Dimension, groupWithoutValue } from '#core/stats/stats.ts';
import { reportQuery } from '#console/api/links/stats.ts';
import { useCan } from '#console/app/can.ts';
import { ComboBox } from '#console/ui/form/list-field.tsx';
import { destinationOf } from '#console/links/editor/destination/destination.ts';
import { type Draft, type UtmName, utmNames } from '#console/links/editor/draft.ts';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { UtmAddress } from '#console/links/utm-address.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';
import { TemplatePicker } from '#console/organize/templates/picker.tsx';
import css from '#console/links/editor/editor.module.css';
import layout from '#console/ui/page/layout.module.css';

const usedDays = 90;
const mostUsed = 30;

/** The five UTM parameters, filled in from a template or one by one, with the values that brought clicks lately as choices. */
export function CampaignSection({ draft, onChange, issues }: SectionProps) {
  const words = useEditorWords();
  const used = useUsedValues();
  return (
    <div className={layout.fields}>
      <TemplatePicker onPick={onChange} />
      {utmNames.map((name) => (
        <ComboBox
          key={name}
          label={words.utm[name]}
          text={draft[name]}
          onText={(value) => onChange({ [name]: value })}
          choices={(used.get(name) ?? [])
            .filter((value) => value.toLowerCase().includes(draft[name].trim().toLowerCase()))
            .map((value) => ({ id: value, label: value }))}
          error={issues[name]}
        />
      ))}
      <CampaignResult draft={draft} />
    </div>
  );
}

/** Values of each parameter by the clicks that they brought, most first. */
function useUsedValues(): Map<UtmName, string[]> {
  const canRead = useCan('stats', 'read');
  const [startDate] = useState(() => new Date(Date.now() - usedDays * 86_400_000).toISOString().slice(0, 10));
  const { data } = useQuery({
    ...reportQuery({ startDate, timezone: 'UTC', filters: {}, groupBys: utmNames, interval: 'month', limit: mostUsed }),
    refetchInterval: false,
    enabled: canRead,
  });
  return new Map(
    (data?.breakdowns ?? []).map(({ groupBy, data: groups }) => [
      groupBy as UtmName,
      groups.map(({ group }) => group).filter((group) => group !== groupWithoutValue(groupBy as Dimension)),
    ]),
  );
}

/** Where visitors are led with the campaign's values, the values marked; and which of the destination's own they replace. */
function CampaignResult({ draft }: { draft: Draft }) {
  const words = useEditorWords();
  const { type, value } = destinationOf(draft.destination);
  const values = utmNames.map((name) => draft[name].trim() || null) as unknown as UtmValues;
  const before = URL.parse(value);
  if (type !== 'link' || before === null || values.every((one) => one === null)) return null;
  const replaced = parameterNames.filter((name, index) => {
    const own = before.searchParams.get(name);
    return values[index] !== null && own !== null && own !== values[index];
  });
  return (
    <div className={css.whole}>
      <strong className="small">{words.leadsTo}</strong>
      <p className="small breaks">
        <UtmAddress address={value} values={values} />
      </p>
      {replaced.length > 0 && <p className="quiet">{words.replaces(replaced.join(', '))}</p>}
    </div>
  );
}
