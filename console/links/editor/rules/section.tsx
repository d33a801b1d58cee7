import { useState } from 'react';
import { Button as AriaButton, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { useFormat } from '#console/i18n/format.ts';
import { useLateView } from '#console/ui/browser/focus.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { areLeftOf, type RuleDraft } from '#console/links/editor/draft.ts';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { hasCondition, hiddenRulesOf, moveByOne, moveRules, newRule } from './order.ts';
import { RuleFields } from './rule-fields.tsx';
import { useRuleWords } from './words.ts';
import css from './rules.module.css';
import layout from '#console/ui/page/layout.module.css';

const shownNames = 3;

/** The rules of a link, in the order in which they are tried. The one that is chosen is edited below the list. */
export default function RulesSection({ draft, onChange, issues }: SectionProps) {
  useLateView('section-rules');
  const words = useRuleWords();
  const { rules } = draft;
  const [opened, setOpened] = useState<string>();
  const issueOf = (index: number, field: string): string | undefined => messageOf(issues, `rules.${index}.${field}`);
  const firstWrong = rules.findIndex((_rule, index) => hasIssue(issues, index));
  const [known, setKnown] = useState(issues);
  if (issues !== known) {
    setKnown(issues);
    // The form leads to the first fault, which may be of another rule than the open one.
    if (firstWrong >= 0 && !areLeftOf(issues, known)) setOpened(rules[firstWrong]?.key);
  }
  const openIndex = rules.findIndex(({ key }) => key === (opened ?? rules[firstWrong]?.key));
  const open = rules[openIndex];
  const ruleIssue = messageOf(issues, `rules.${openIndex}`);
  const hidden = hiddenRulesOf(rules);
  const set = (next: readonly RuleDraft[]): void => onChange({ rules: next });

  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      if (target.dropPosition !== 'on') set(moveRules(rules, keys, { key: target.key, position: target.dropPosition }));
    },
  });

  return (
    <>
      <p className="quiet">{words.intro}</p>
      {issues.rules !== undefined && <Problem text={issues.rules} />}
      {rules.length > 0 && (
        <GridList
          aria-label={words.list}
          className={css.list}
          dragAndDropHooks={dragAndDropHooks}
          selectionMode="single"
          selectionBehavior="replace"
          selectedKeys={open === undefined ? [] : [open.key]}
          onSelectionChange={(keys) => {
            const [key] = keys === 'all' ? [] : keys;
            if (key !== undefined) setOpened(String(key));
          }}
        >
          {rules.map((rule, index) => (
            <RuleItem
              key={rule.key}
              rule={rule}
              index={index}
              isLast={index === rules.length - 1}
              isWrong={hasIssue(issues, index)}
              hiddenBy={hidden.get(index)}
              onMove={(by) => set(moveByOne(rules, rule.key, by))}
              onRemove={() => set(rules.filter(({ key }) => key !== rule.key))}
            />
          ))}
        </GridList>
      )}
      {open !== undefined && (
        <section className={css.open} aria-label={words.edit(openIndex + 1)}>
          <h4>{words.rule(openIndex + 1)}</h4>
          {ruleIssue !== undefined && <Problem text={ruleIssue} />}
          <RuleFields
            key={open.key}
            rule={open}
            onChange={(part) => set(rules.map((rule) => (rule.key === open.key ? { ...rule, ...part } : rule)))}
            issueOf={(field) => issueOf(openIndex, field)}
          />
        </section>
      )}
      <div>
        <Button
          size="small"
          icon="add"
          onPress={() => {
            const rule = newRule();
            set([...rules, rule]);
            setOpened(rule.key);
          }}
        >
          {words.add}
        </Button>
      </div>
    </>
  );
}

/** What is wrong with no single field: it takes the focus in place of one. */
function Problem({ text }: { text: string }) {
  return (
    <p className={`small ${layout.bad}`} data-problems="" tabIndex={-1}>
      {text}
    </p>
  );
}

interface RuleItemProps {
  rule: RuleDraft;
  index: number;
  isLast: boolean;
  isWrong: boolean;
  /** Indices of the rules that hide it; undefined: it can be reached. */
  hiddenBy: readonly number[] | undefined;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

function RuleItem({ rule, index, isLast, isWrong, hiddenBy, onMove, onRemove }: RuleItemProps) {
  const words = useRuleWords();
  const format = useFormat();
  const place = index + 1;
  const names = (ids: readonly string[], nameOf: (id: string) => string): string[] => {
    if (ids.length === 0) return [];
    const first = ids.slice(0, shownNames).map(nameOf).join(', ');
    return [ids.length > shownNames ? `${first} ${words.more(ids.length - shownNames)}` : first];
  };
  const conditions = [
    ...names(rule.countries, (id) => format.country(id)),
    ...names(rule.languages, (id) => format.language(id)),
    ...names(rule.osTypes, (id) => words.osTypes[id as keyof typeof words.osTypes]),
  ];
  const condition = hasCondition(rule) ? conditions.join(' · ') : words.conditionless;
  return (
    <GridListItem id={rule.key} textValue={`${words.rule(place)} ${condition}`} className={css.item}>
      <AriaButton slot="drag" aria-label={words.drag(place)} className={css.handle}>
        <span aria-hidden="true">⠿</span>
      </AriaButton>
      <div className={`small ${css.summary}`}>
        <span className={css.condition}>
          <span className="tabular">{place}.</span> {condition}
        </span>
        <span className="quiet">
          <Icon name="arrowRight" size={14} />
          <span>{rule.destination.trim() === '' ? words.noDestination : rule.destination}</span>
        </span>
        {hiddenBy !== undefined && (
          <span className={css.hidden}>
            <Icon name="warning" size={14} />
            <span>{words.hidden(hiddenBy.map((one) => words.rule(one + 1)))}</span>
          </span>
        )}
      </div>
      {isWrong && <Icon name="warning" />}
      <IconButton
        icon="arrowUp"
        size="small"
        label={words.up(place)}
        isDisabled={index === 0}
        onPress={() => onMove(-1)}
      />
      <IconButton
        icon="arrowDown"
        size="small"
        label={words.down(place)}
        isDisabled={isLast}
        onPress={() => onMove(1)}
      />
      <IconButton icon="trash" size="small" label={words.remove(place)} onPress={onRemove} />
    </GridListItem>
  );
}

/** The message for a field, or for one of the items that it lists. */
function messageOf(issues: Readonly<Record<string, string>>, path: string): string | undefined {
  const item = Object.keys(issues).find(
    (one) => one === path || (/^\.\d+$/.test(one.slice(path.length)) && one.startsWith(path)),
  );
  return item === undefined ? undefined : issues[item];
}

function hasIssue(issues: Readonly<Record<string, string>>, index: number): boolean {
  return Object.keys(issues).some((path) => path === `rules.${index}` || path.startsWith(`rules.${index}.`));
}
