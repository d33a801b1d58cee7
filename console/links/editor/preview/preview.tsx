import { useDeferredValue, useMemo, useState } from 'react';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import type { ImaginedVisitor } from '#core/routing/explain.ts';
import type { ShortLink } from '#console/api/types.ts';
import { Button } from '#console/ui/button.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Notice } from '#console/ui/page/states.tsx';
import type { Draft } from '#console/links/editor/draft.ts';
import { useThreatPolicy } from '#console/links/threat-policy.ts';
import { describeDecision } from './answer.ts';
import { compileForm } from './compile-form.ts';
import { type PresetName, presetNames, presets, simulate } from './simulate.ts';
import { Simulator } from './simulator.tsx';
import { usePreviewWords } from './words.ts';
import css from './preview.module.css';
import layout from '#console/ui/page/layout.module.css';

interface PreviewProps {
  draft: Draft;
  domain: string;
  saved: ShortLink | undefined;
}

/** What visitors meet: the short link, and the answer that each of some visitors gets from the draft as it stands. */
export default function Preview({ draft, domain, saved }: PreviewProps) {
  const words = usePreviewWords();
  const nowMs = useNow().getTime();
  const [tried, setTried] = useState<ImaginedVisitor>();
  // Typing goes first: the table follows when there is time.
  const shown = useDeferredValue(draft);
  const policy = useThreatPolicy(saved);
  const { link, ruleIndexes, issues } = useMemo(() => compileForm(shown, saved, policy), [shown, saved, policy]);
  const currentClicks = saved?.currentClicks ?? 0;
  const answers = useMemo(
    () => (link === undefined ? [] : groupAnswers(link, { ruleIndexes, nowMs, currentClicks, words })),
    [link, ruleIndexes, nowMs, currentClicks, words],
  );
  const unfinished = shown.rules.flatMap((_rule, index) =>
    ruleIndexes.includes(index) ? [] : [words.rule(index + 1)],
  );
  return (
    <aside className={css.preview} aria-label={words.title}>
      <h3>{words.title}</h3>
      <p className={css.short}>
        <span className="visually-hidden">{words.shortLink} </span>
        {domain}/{draft.slug.trim() === '' || issues.slug !== undefined ? '…' : draft.slug.trim()}
      </p>
      {link === undefined ? (
        <p className="quiet">{words.empty}</p>
      ) : (
        <>
          {unfinished.length > 0 && <Notice tone="quiet">{words.unfinished(unfinished.join(', '))}</Notice>}
          <table className={`small ${layout.table} ${css.table}`}>
            <caption className="visually-hidden">{words.table}</caption>
            <thead>
              <tr>
                <th scope="col">{words.visitor}</th>
                <th scope="col">{words.answer}</th>
              </tr>
            </thead>
            <tbody>
              {answers.map(({ text, rule, names }) => (
                <tr key={`${text} ${rule ?? ''}`}>
                  <th scope="row">
                    {names.map((name) => (
                      <Button
                        key={name}
                        size="small"
                        variant="plain"
                        aria-pressed={tried === presets[name]}
                        onPress={() => setTried(presets[name])}
                      >
                        {words.presets[name]}
                      </Button>
                    ))}
                  </th>
                  <td>
                    {text}
                    {rule !== undefined && <span className="quiet"> ({words.rule(rule + 1)})</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {tried === undefined ? (
            <div>
              <Button size="small" icon="route" onPress={() => setTried(presets.iphone)}>
                {words.tryOther}
              </Button>
            </div>
          ) : (
            <Simulator
              link={link}
              ruleIndexes={ruleIndexes}
              currentClicks={currentClicks}
              visitor={tried}
              onVisitor={setTried}
              nowMs={nowMs}
              onClose={() => setTried(undefined)}
            />
          )}
        </>
      )}
    </aside>
  );
}

interface Answer {
  text: string;
  /** Place of the rule that leads there, in the form. */
  rule: number | undefined;
  names: PresetName[];
}

/** What the imagined visitors get, each answer once with all who get it, in the order of the first of them. */
function groupAnswers(
  link: CompiledLink,
  {
    ruleIndexes,
    words,
    ...now
  }: {
    ruleIndexes: readonly number[];
    nowMs: number;
    currentClicks: number;
    words: ReturnType<typeof usePreviewWords>;
  },
): Answer[] {
  const answers = presetNames.map((name): Answer => {
    const { decision, chosenRule } = simulate(link, { visitor: presets[name], isAdmitted: false, ...now });
    const isLed = ['redirect', 'deepLink', 'cloak'].includes(decision.kind);
    const rule = isLed && chosenRule !== null ? ruleIndexes[chosenRule] : undefined;
    return { text: describeDecision(decision, words), rule, names: [name] };
  });
  const groups = Map.groupBy(answers, ({ text, rule }) => `${text} ${rule ?? ''}`);
  return [...groups.values()].map(([first, ...others]) => ({
    ...first!,
    names: [...first!.names, ...others.flatMap(({ names }) => names)],
  }));
}
