import { useFormat } from '#console/i18n/format.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';

export interface ChangeProps {
  now: number;
  /** Null: not known. */
  before: number | null;
  /** Whether it is a share between 0 and 1, which differs in percentage points. */
  isShare?: boolean;
}

/** By how much a number changed; the number before is its hint. */
export function Change({ now, before, isShare = false }: ChangeProps) {
  const words = useStatsWords();
  const format = useFormat();
  if (before === null) return null;
  const number = isShare ? format.percent : format.number;
  const hint = words.before(number(before));
  if (now === before)
    return (
      <span className={css.change} title={hint}>
        ±0 <span className="visually-hidden">{words.noChange}</span>
      </span>
    );
  const sign = now > before ? '+' : '−';
  const difference = Math.abs(now - before);
  const text = isShare
    ? `${sign}${words.points(format.number(Math.round(difference * 1_000) / 10))}`
    : before === 0
      ? words.new
      : `${sign}${format.percent(difference / before, 0)}`;
  return (
    <span className={[css.change, now > before ? css.more : css.less].join(' ')} title={hint}>
      {text} <span className="visually-hidden">{hint}</span>
    </span>
  );
}
