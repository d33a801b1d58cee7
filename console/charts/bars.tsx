import { useFormat } from '#console/i18n/format.ts';
import css from './bars.module.css';

interface Bar {
  name: string;
  count: number;
}

const width = 600;
const height = 160;
const gap = 0.2;

/** Values along time, one bar each. Screen readers get the same as a table. */
export function TimeBars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const format = useFormat();
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = width / Math.max(1, bars.length);
  return (
    <figure>
      <svg className={css.chart} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ name, count }, index) => {
          const size = (count / most) * (height - 2);
          return (
            <rect
              key={name}
              className={css.bar}
              x={(index + gap / 2) * step}
              y={height - size}
              width={step * (1 - gap)}
              height={size}
            >
              <title>{`${name}: ${format.number(count)}`}</title>
            </rect>
          );
        })}
        <line className={css.base} x1={0} x2={width} y1={height} y2={height} />
      </svg>
      <figcaption className={`quiet small ${css.ends}`} aria-hidden="true">
        <span>{bars[0]?.name}</span>
        <span>{bars.at(-1)?.name}</span>
      </figcaption>
      <table className="visually-hidden">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{format.number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Values of a dimension with their share, most first. */
export function ShareTable({ label, bars, total }: { label: string; bars: readonly Bar[]; total: number }) {
  const format = useFormat();
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <table className={css.table}>
      <caption className="visually-hidden">{label}</caption>
      <tbody>
        {bars.map(({ name, count }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className={css.share} aria-hidden="true">
              <span style={{ inlineSize: `${(count / most) * 100}%` }} />
            </td>
            <td className="tabular">{format.number(count)}</td>
            <td className="tabular">{format.percent(total === 0 ? 0 : count / total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
