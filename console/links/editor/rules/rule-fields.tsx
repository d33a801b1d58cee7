import { useMemo } from 'react';
import { CheckboxGroup, Label, Text } from 'react-aria-components';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Checkbox, TextField } from '#console/ui/form/field.tsx';
import { Picker } from '#console/ui/form/picker.tsx';
import { completed } from '#console/links/editor/destination/destination.ts';
import { useSpaceIssue } from '#console/links/editor/destination/spaces.ts';
import type { RuleDraft } from '#console/links/editor/draft.ts';
import { type OsType, osTypes } from '#core/links/draft.ts';
import { countryChoices, languageChoices, readCountry, readLanguage } from './choices.ts';
import { useContinentNames } from '#console/i18n/continents.ts';
import { continents, countriesOf } from './continents.ts';
import { useRuleWords } from './words.ts';
import css from './rules.module.css';
import layout from '#console/ui/page/layout.module.css';

interface RuleFieldsProps {
  rule: RuleDraft;
  onChange: (part: Partial<RuleDraft>) => void;
  /** The message for a field of the rule, such as `countries`. */
  issueOf: (field: string) => string | undefined;
}

/** Conditions and destination of one rule. */
export function RuleFields({ rule, onChange, issueOf }: RuleFieldsProps) {
  const words = useRuleWords();
  const spaceIssue = useSpaceIssue();
  const continentNames = useContinentNames();
  const format = useFormat();
  const countries = useMemo(() => countryChoices(format), [format]);
  const languages = useMemo(() => languageChoices(format), [format]);
  return (
    <div className={layout.stack}>
      <Picker
        label={words.countries}
        hint={words.countriesHint}
        error={issueOf('countries')}
        choices={countries}
        chosen={rule.countries}
        onChange={(chosen) => onChange({ countries: chosen })}
        nameOf={(id) => format.country(id)}
        read={(text) => readCountry(text, countries)}
        shortcuts={
          <div className={css.shortcuts}>
            {continents.map((continent) => (
              <Button
                key={continent}
                size="small"
                variant="plain"
                aria-label={words.addContinent(continentNames[continent])}
                onPress={() => onChange({ countries: [...new Set([...rule.countries, ...countriesOf[continent]])] })}
              >
                {continentNames[continent]}
              </Button>
            ))}
          </div>
        }
      />
      <Picker
        label={words.languages}
        hint={words.languagesHint}
        error={issueOf('languages')}
        choices={languages}
        chosen={rule.languages}
        onChange={(chosen) => onChange({ languages: chosen })}
        nameOf={(id) => format.language(id)}
        read={(text) => readLanguage(text, languages)}
      />
      <CheckboxGroup
        value={[...rule.osTypes]}
        onChange={(chosen) => onChange({ osTypes: osTypes.filter((osType) => chosen.includes(osType)) })}
        isInvalid={issueOf('osTypes') !== undefined}
        validationBehavior="aria"
        className={`small ${css.systems}`}
      >
        <Label>{words.systems}</Label>
        <div className={css.boxes}>
          {osTypes.map((osType: OsType) => (
            <Checkbox key={osType} value={osType}>
              {words.osTypes[osType]}
            </Checkbox>
          ))}
        </div>
        <Text slot="description" className="quiet">
          {issueOf('osTypes') ?? words.systemsHint}
        </Text>
      </CheckboxGroup>
      <TextField
        label={words.leadsTo}
        value={rule.destination}
        onChange={(destination) => onChange({ destination })}
        onBlur={() => onChange({ destination: completed(rule.destination) })}
        error={issueOf('destination.value') ?? issueOf('destination') ?? spaceIssue(rule.destination)}
        placeholder="https://example.com/de"
      />
    </div>
  );
}
