import { useState } from 'react';
import { useFormat } from '#console/i18n/format.ts';
import { spread, ticksFor } from './ticks.ts';
import css from './timeline.module.css';

export interface TimePoint {
  /** Names the point: a date, an hour. Unique. */
  name: string;
  /** Stands below the axis, where there is little room. Default: the name. */
  shortName?: string;
  count: number;
  /** Of the period that is compared with. */
  before?: number | undefined;
  /** Names the point of that period. */
  beforeName?: string | undefined;
  /** Whether it is not over yet. */
  isOpen?: boolean;
  /** Whether it has not begun: a gap, not a zero. */
  isFuture?: boolean;
}

/** What the values and signs of a timeline are; a sign that it does not have is left out. */
interface TimelineLegend {
  now: string;
  before?: string | undefined;
  open?: string;
  marks?: string;
}

interface TimelineProps {
  label: string;
  points: readonly TimePoint[];
  legend: TimelineLegend;
  /** What is read of a point. */
  describe: (point: TimePoint) => string;
  /** Names the control that reads points. */
  readLabel: string;
  /** Sentences about what happened in a point, by its index. */
  marks?: ReadonlyMap<number, readonly string[]>;
  /** Called with the first and the last index of the points that were dragged over. */
  onZoom?: ((first: number, last: number) => void) | undefined;
}

const width = 1_000;
const height = 220;
const gap = 0.2;
// More are drawn as a line.
const mostBars = 62;
// The style sheet leaves every other of them on a phone.
const mostNames = 7;
const noMarks: ReadonlyMap<number, readonly string[]> = new Map();

/**
 * Values along time, as bars or, where they are many, as a line; the period before is a thin second line. Hovering and the arrow
 * keys read a point of both periods, dragging zooms. Screen readers get the same as a table.
 */
export function Timeline({ label, points, legend, describe, readLabel, marks = noMarks, onZoom }: TimelineProps) {
  const format = useFormat();
  const [read, setRead] = useState<number>();
  const [dragged, setDragged] = useState<number>();
  const ticks = ticksFor(Math.max(...points.map(({ count, before = 0 }) => Math.max(count, before))));
  const most = ticks.at(-1) ?? 1;
  const step = width / Math.max(1, points.length);
  const y = (count: number): number => height - (count / most) * height;
  const x = (index: number): number => (index + 0.5) * step;
  const line = (values: readonly (number | undefined)[]): string =>
    values
      .map((value, index) =>
        value === undefined
          ? ''
          : `${values[index - 1] === undefined ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`,
      )
      .join('');
  const counts = points.map(({ count, isFuture = false }) => (isFuture ? undefined : count));
  const hasBefore = points.some(({ before }) => before !== undefined);
  const begun = counts.findLastIndex((count) => count !== undefined);
  const isBars = points.length <= mostBars;
  const indexAt = (clientX: number, { left, width: size }: DOMRect): number =>
    Math.min(points.length - 1, Math.max(0, Math.floor(((clientX - left) / size) * points.length)));
  const shown = points[read ?? -1];
  const readOut = (point: TimePoint): string =>
    [describe(point), ...(marks.get(points.indexOf(point)) ?? [])].join(' · ');
  const [first, last] = [Math.min(dragged ?? 0, read ?? 0), Math.max(dragged ?? 0, read ?? 0)];
  return (
    <figure className={css.figure}>
      <Legend
        legend={legend}
        hasBefore={hasBefore}
        hasOpen={isBars && points.some(({ isOpen = false }) => isOpen)}
        hasMarks={marks.size > 0}
      />
      <div className={css.plot}>
        {ticks.map((tick) => (
          <span key={tick} className={css.tick} style={{ insetBlockEnd: `${(tick / most) * 100}%` }} aria-hidden="true">
            {format.number(tick)}
          </span>
        ))}
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <defs>
            <pattern id="unfinished" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect className={css.hatch} width="3" height="6" />
            </pattern>
          </defs>
          {ticks.slice(1).map((tick) => (
            <line key={tick} className={css.grid} x1={0} x2={width} y1={y(tick)} y2={y(tick)} />
          ))}
          {dragged !== undefined && read !== undefined && dragged !== read && (
            <rect className={css.range} x={first * step} y={0} width={(last - first + 1) * step} height={height} />
          )}
          {isBars ? (
            points.map(({ name, count, isOpen = false, isFuture = false }, index) =>
              isFuture ? null : (
                <rect
                  key={name}
                  className={[css.bar, isOpen ? css.open : '', index === read ? css.current : ''].join(' ')}
                  x={(index + gap / 2) * step}
                  y={y(count)}
                  width={step * (1 - gap)}
                  height={height - y(count)}
                />
              ),
            )
          ) : (
            <>
              <path
                className={css.area}
                d={`${line(counts)}L${x(begun).toFixed(1)} ${height}L${x(0).toFixed(1)} ${height}z`}
              />
              <path className={css.line} d={line(counts)} />
              {read !== undefined && <line className={css.mark} x1={x(read)} x2={x(read)} y1={0} y2={height} />}
            </>
          )}
          {hasBefore && <path className={css.before} d={line(points.map(({ before }) => before))} />}
          <line className={css.base} x1={0} x2={width} y1={height} y2={height} />
        </svg>
        {points.length > 0 && (
          <input
            type="range"
            className={css.reader}
            aria-label={readLabel}
            min={0}
            max={points.length - 1}
            value={read ?? points.length - 1}
            aria-valuetext={readOut(points[read ?? points.length - 1]!)}
            onChange={(event) => dragged === undefined && setRead(Number(event.target.value))}
            onBlur={() => setRead(undefined)}
            onPointerDown={(event) => setDragged(indexAt(event.clientX, event.currentTarget.getBoundingClientRect()))}
            onPointerMove={(event) => setRead(indexAt(event.clientX, event.currentTarget.getBoundingClientRect()))}
            onPointerUp={() => {
              if (dragged !== undefined && read !== undefined && last > first) onZoom?.(first, last);
              setDragged(undefined);
            }}
            onPointerLeave={() => {
              setDragged(undefined);
              setRead(undefined);
            }}
          />
        )}
        {shown !== undefined && read !== undefined && (
          <Reading
            point={shown}
            legend={legend}
            marks={marks.get(read)}
            place={x(read) / width}
            isBeforeHalf={read * 2 < points.length}
          />
        )}
      </div>
      {marks.size > 0 && (
        <div className={css.marks} aria-hidden="true">
          {[...marks.keys()].map((index) => (
            <span key={index} style={{ insetInlineStart: `${(x(index) / width) * 100}%` }} />
          ))}
        </div>
      )}
      <figcaption className={css.ends} aria-hidden="true">
        {spread(points.length, mostNames).map((index) => (
          <span key={index} style={{ insetInlineStart: `${(x(index) / width) * 100}%` }}>
            {points[index]?.shortName ?? points[index]?.name}
          </span>
        ))}
      </figcaption>
      {/* A table takes the width of its text, hidden or not: the box around it does not. */}
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <tbody>
            {points.map((point, index) => (
              <tr key={point.name}>
                <th scope="row">{point.name}</th>
                <td>{point.isFuture === true ? '–' : format.number(point.count)}</td>
                {point.before !== undefined && <td>{format.number(point.before)}</td>}
                {marks !== noMarks && <td>{marks.get(index)?.join(' ')}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

interface LegendProps {
  legend: TimelineLegend;
  hasBefore: boolean;
  hasOpen: boolean;
  hasMarks: boolean;
}

/** Says what the signs are; nothing where one value alone is drawn. */
function Legend({ legend, hasBefore, hasOpen, hasMarks }: LegendProps) {
  const signs: readonly [string, string | undefined][] = [
    [css.signNow!, legend.now],
    [css.signBefore!, hasBefore ? legend.before : undefined],
    [css.signOpen!, hasOpen ? legend.open : undefined],
    [css.signMark!, hasMarks ? legend.marks : undefined],
  ];
  const shown = signs.filter(([, text]) => text !== undefined);
  if (shown.length < 2) return null;
  return (
    <ul className={css.legend} aria-hidden="true">
      {shown.map(([sign, text]) => (
        <li key={text}>
          <span className={sign} />
          {text}
        </li>
      ))}
    </ul>
  );
}

interface ReadingProps {
  point: TimePoint;
  legend: TimelineLegend;
  marks: readonly string[] | undefined;
  /** Where it stands along the time, 0 to 1. */
  place: number;
  isBeforeHalf: boolean;
}

/** The values of a point in both periods, beside it. Screen readers hear them from the control that reads points. */
function Reading({ point, legend, marks, place, isBeforeHalf }: ReadingProps) {
  const format = useFormat();
  const { name, count, before, beforeName, isOpen = false, isFuture = false } = point;
  return (
    <div
      className={[css.reading, isBeforeHalf ? css.after : css.ahead].join(' ')}
      style={{ insetInlineStart: `${place * 100}%` }}
      aria-hidden="true"
    >
      <strong>{name}</strong>
      {isOpen && <span className="quiet">{legend.open}</span>}
      <dl>
        <dt>
          <span className={css.signNow} />
          {legend.now}
        </dt>
        <dd>{isFuture ? '–' : format.number(count)}</dd>
        {before !== undefined && (
          <>
            <dt>
              <span className={css.signBefore} />
              {beforeName ?? legend.before}
            </dt>
            <dd>{format.number(before)}</dd>
          </>
        )}
      </dl>
      {marks?.map((mark) => (
        <span key={mark}>{mark}</span>
      ))}
    </div>
  );
}
