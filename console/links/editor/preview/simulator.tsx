import { useMemo, useState } from 'react';
import { osTypes } from '#core/links/draft.ts';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import type { Explanation, ImaginedVisitor } from '#core/routing/explain.ts';
import { normalizeLanguage } from '#core/routing/iso-codes.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Checkbox, TextField } from '#console/ui/form/field.tsx';
import { ComboBox, Select } from '#console/ui/form/list-field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { countryChoices, readCountry } from '#console/links/editor/rules/choices.ts';
import { useRuleWords } from '#console/links/editor/rules/words.ts';
import { describeDecision } from './answer.ts';
import { simulate } from './simulate.ts';
import { usePreviewWords } from './words.ts';
import css from './preview.module.css';

interface SimulatorProps {
  link: CompiledLink;
  /** Index in the form of each rule of the link. */
  ruleIndexes: readonly number[];
  currentClicks: number;
  visitor: ImaginedVisitor;
  onVisitor: (visitor: ImaginedVisitor) => void;
  nowMs: number;
  onClose: () => void;
}

const kinds = ['person', 'previewer', 'bot'] as const;

/** An imagined visit: who comes and when, each step of the decision, and the exact Location. */
export function Simulator({ link, ruleIndexes, currentClicks, visitor, onVisitor, nowMs, onClose }: SimulatorProps) {
  const words = usePreviewWords();
  const ruleWords = useRuleWords();
  const format = useFormat();
  const countries = useMemo(() => countryChoices(format), [format]);
  // What stands in the fields, where it differs from what the visitor has.
  const [country, setCountry] = useState<string>();
  const [language, setLanguage] = useState<string>();
  const [at, setAt] = useState('');
  const [isAdmitted, setAdmitted] = useState(false);
  const set = (part: Partial<ImaginedVisitor>): void => onVisitor({ ...visitor, ...part });
  const isLanguageWrong =
    language !== undefined && language.trim() !== '' && normalizeLanguage(language.trim()) === undefined;
  const explanation = simulate(link, {
    visitor,
    nowMs: at === '' ? nowMs : new Date(at).getTime(),
    isAdmitted,
    currentClicks,
  });
  return (
    <section className={`small ${css.simulator}`} aria-label={words.tryOther}>
      <div className={css.visitor}>
        <Select
          label={words.kind}
          value={visitor.kind}
          onChange={(kind) => set({ kind })}
          choices={kinds.map((id) => ({ id, label: words.kinds[id] }))}
        />
        <Select
          label={words.system}
          value={visitor.osType}
          onChange={(osType) => set({ osType })}
          choices={osTypes.map((id) => ({ id, label: ruleWords.osTypes[id] }))}
        />
        <ComboBox
          label={words.country}
          text={country ?? (visitor.country === null ? '' : format.country(visitor.country))}
          placeholder={words.countryUnknown}
          onText={(text) => {
            setCountry(text);
            const code = readCountry(text, countries);
            if (code !== undefined || text.trim() === '') set({ country: code ?? null });
          }}
          onChoose={(id) => {
            if (id === null) return;
            setCountry(undefined);
            set({ country: id });
          }}
          choices={countries}
        />
        <TextField
          label={words.language}
          hint={words.languageHint}
          value={language ?? visitor.language ?? ''}
          onChange={(text) => {
            setLanguage(text);
            const tag = normalizeLanguage(text.trim());
            if (tag !== undefined || text.trim() === '') set({ language: tag ?? null });
          }}
          error={isLanguageWrong ? words.languageWrong : undefined}
          maxLength={5}
        />
        <TextField
          label={words.query}
          value={visitor.query}
          onChange={(query) => set({ query })}
          placeholder="utm_source=news"
          maxLength={2_000}
        />
        <TextField label={words.at} hint={words.atHint} type="datetime-local" value={at} onChange={setAt} />
        <Checkbox isSelected={visitor.scansQrCode} onChange={(scansQrCode) => set({ scansQrCode })}>
          {words.scans}
        </Checkbox>
        {link.passwordHash !== null && (
          <Checkbox isSelected={isAdmitted} onChange={setAdmitted}>
            {words.knowsPassword}
          </Checkbox>
        )}
      </div>
      <p role="status">
        <strong>{describeDecision(explanation.decision, words)}</strong>
      </p>
      {'location' in explanation.decision && (
        <p className="breaks">
          {words.location}: <code>{explanation.decision.location}</code>
        </p>
      )}
      <h4>{words.steps}</h4>
      <Steps explanation={explanation} ruleIndexes={ruleIndexes} />
      <div>
        <Button size="small" variant="plain" icon="close" onPress={onClose}>
          {words.close}
        </Button>
      </div>
    </section>
  );
}

function Steps({ explanation, ruleIndexes }: { explanation: Explanation; ruleIndexes: readonly number[] }) {
  const words = usePreviewWords();
  const { steps, chosenRule, failedConditions } = explanation;
  return (
    <ol className={css.steps}>
      {steps.map(({ name, outcome }) => {
        const answer =
          outcome === 'notReached'
            ? words.notReached
            : name === 'rules'
              ? chosenRule === null
                ? words.noRule
                : words.rule(ruleIndexes[chosenRule]! + 1)
              : outcome === 'decided'
                ? words.yes
                : words.no;
        return (
          <li key={name} data-outcome={outcome}>
            <span>
              {outcome === 'decided' && <Icon name="arrowRight" size={14} />}
              {words.questions[name]} <strong>{answer}</strong>
            </span>
            {name === 'rules' && outcome !== 'notReached' && failedConditions.length > 0 && (
              <ul>
                {failedConditions.map((failed, index) => (
                  <li key={ruleIndexes[index]}>
                    {words.rule(ruleIndexes[index]! + 1)}{' '}
                    {failed.length > 0
                      ? words.fails(failed.map((condition) => words.conditions[condition]).join(', '))
                      : index === chosenRule
                        ? words.matches
                        : words.laterMatches}
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ol>
  );
}
