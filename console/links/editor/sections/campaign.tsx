import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Dimension, groupWithoutValue } from '#core/stats/stats.ts';
import { reportQuery } from '#console/api/links/stats.ts';
import { useCan } from '#console/app/can.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { ComboBox } from '#console/ui/form/field.tsx';
import { type UtmName, utmNames } from '#console/links/editor/draft.ts';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';
import { TemplatePicker } from '#console/organize/templates/picker.tsx';
import { CampaignResult } from './campaign-result.tsx';
import css from '#console/links/editor/editor.module.css';

const usedDays = 90;
const mostUsed = 30;

/** The five UTM parameters, filled in from a template or one by one, with the values that brought clicks lately as choices. */
export function CampaignSection({ draft, onChange, issues }: SectionProps) {
  const words = useEditorWords();
  const ui = useUiWords();
  const used = useUsedValues();
  return (
    <div className={css.fields}>
      <TemplatePicker onPick={onChange} />
      {utmNames.map((name) => (
        <ComboBox
          key={name}
          label={words.utm[name]}
          text={draft[name]}
          onText={(value) => onChange({ [name]: value })}
          onChoose={(value) => value !== null && onChange({ [name]: value })}
          choices={(used.get(name) ?? [])
            .filter((value) => value.toLowerCase().includes(draft[name].trim().toLowerCase()))
            .map((value) => ({ id: value, label: value }))}
          error={issues[name]}
          openLabel={ui.open}
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
