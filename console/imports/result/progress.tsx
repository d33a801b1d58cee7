import { useState } from 'react';
import { useLanguage } from '#console/i18n/language.ts';
import { useImportWords } from '#console/imports/words.ts';
import { Progress } from '#console/ui/progress.tsx';
import { addSample, estimate, type Sample } from './rate.ts';
import css from '#console/imports/imports.module.css';

interface ImportProgressProps {
  label: string;
  done: number;
  total: number;
  /** Says how many are done: rows or links. */
  describe: (done: number, total: number) => string;
  /** When the numbers were read. */
  atMs: number;
}

/** Progress with its rate and the time that is left. */
export function ImportProgress({ label, done, total, describe, atMs }: ImportProgressProps) {
  const words = useImportWords().progress;
  const language = useLanguage();
  const [samples, setSamples] = useState<readonly Sample[]>([{ atMs, done }]);
  if (samples.at(-1)?.atMs !== atMs) setSamples(addSample(samples, { atMs, done }));
  const guess = estimate(samples, total);
  return (
    <div className={css.progress}>
      <Progress label={label} done={done} total={total} />
      <p className="tabular">
        {[
          done === 0 ? words.waiting : describe(done, total),
          ...(guess === undefined
            ? []
            : [words.rate(round(guess.perSecond)), words.left(spell(guess.secondsLeft, language))]),
        ].join(' · ')}
      </p>
      <p className="quiet">{words.leave}</p>
    </div>
  );
}

function round(rate: number): number {
  return rate < 10 ? Math.max(1, Math.round(rate)) : Number(rate.toPrecision(2));
}

function spell(seconds: number, language: string): string {
  const [value, unit] =
    seconds < 90 ? [Math.max(1, Math.round(seconds)), 'second'] : [Math.round(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
