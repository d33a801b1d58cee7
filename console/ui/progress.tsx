import { ProgressBar } from 'react-aria-components';
import { useFormat } from '#console/i18n/format.ts';
import css from './progress.module.css';

interface ProgressProps {
  /** Read aloud. */
  label: string;
  done: number;
  total: number;
}

export function Progress({ label, done, total }: ProgressProps) {
  const format = useFormat();
  const most = Math.max(1, total);
  const share = Math.min(1, Math.max(0, done) / most);
  return (
    <ProgressBar
      aria-label={label}
      value={share * 100}
      valueLabel={format.percent(Math.floor(share * 100) / 100, 0)}
      className={css.progress}
    >
      {({ valueText }) => (
        <>
          <div className={css.track}>
            <div className={css.fill} style={{ inlineSize: `${share * 100}%` }} />
          </div>
          <span className="tabular">{valueText}</span>
        </>
      )}
    </ProgressBar>
  );
}
