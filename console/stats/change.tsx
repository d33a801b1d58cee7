import { useFormat } from '#console/i18n/format.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';

interface ChangeProps {
  now: number;
  /** Null: not known. */
  before: number | null;
  /** Writes the number before; as a count where it is not given. */
  write?: (value: number) => string;
}

/** By how much a number changed; the number before is its hint. */
export function Change({ now, before, write }: ChangeProps) {
  const words = useStatsWords();
  const format = useFormat();
  if (before === null) return null;
  const number = write ?? format.number;
  const hint = words.before(number(before));
  if (now === before)
    return (
      <span className={css.change} title={hint}>
        ±0 <span className="visually-hidden">{words.noChange}</span>
      </span>
    );
  const sign = now > before ? '+' : '−';
  const text = before === 0 ? `+${number(now)}` : `${sign}${format.percent(Math.abs(now - before) / before)}`;
  return (
    <span className={[css.change, now > before ? css.more : css.less].join(' ')} title={hint}>
      {text} <span className="visually-hidden">{hint}</span>
    </span>
  );
}
