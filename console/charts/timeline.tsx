import { useState } from 'react';
import { useFormat } from '#console/i18n/format.ts';
import { spread, ticksFor } from './ticks.ts';
import css from './timeline.module.css';

/** A point of a timeline. */
export interface TimePoint {
  /** Names the point: a date, an hour. Unique. */
  name: string;
  count: number;
  /** Of the period that is compared with. */
  before?: number | undefined;
  /** Whether it is not over yet. */
  isOpen?: boolean;
}

interface TimelineProps {
  label: string;
  points: readonly TimePoint[];
  /** What is read of a point. */
  describe: (point: TimePoint) => string;
  /** Names the control that reads points. */
  readLabel: string;
  /** Sentences about what happened in a point, by its index. */
  marks?: ReadonlyMap<number, readonly string[]> | undefined;
  /** Called with the first and the last index of the points that were dragged over. */
  onZoom?: ((first: number, last: number) => void) | undefined;
}

const width = 1_000;
const height = 220;
const gap = 0.2;
// More are drawn as a line.
const mostBars = 62;
// The style sheet leaves every third of them on a phone.
const mostNames = 7;

/**
 * Values along time, as bars or, where they are many, as a line; the period before is a thin second line. Hovering and the arrow
 * keys read a point, dragging zooms. Screen readers get the same as a table.
 */
export function Timeline({ label, points, describe, readLabel, marks, onZoom }: TimelineProps) {
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
      .map((value = 0, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
      .join('');
  const isBars = points.length <= mostBars;
  const indexAt = (clientX: number, { left, width: size }: DOMRect): number =>
    Math.min(points.length - 1, Math.max(0, Math.floor(((clientX - left) / size) * points.length)));
  const shown = points[read ?? -1];
  const readOut = (point: TimePoint): string =>
    [describe(point), ...(marks?.get(points.indexOf(point)) ?? [])].join(' · ');
  const [first, last] = [Math.min(dragged ?? 0, read ?? 0), Math.max(dragged ?? 0, read ?? 0)];
  return (
    <figure className={css.figure}>
      <p className={css.reading} aria-hidden="true">
        {shown === undefined ? ' ' : readOut(shown)}
      </p>
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
            <line
              key={tick}
              className={css.grid}
              x1={0}
              x2={width}
              y1={y(tick)}
              y2={y(tick)}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {dragged !== undefined && read !== undefined && dragged !== read && (
            <rect className={css.range} x={first * step} y={0} width={(last - first + 1) * step} height={height} />
          )}
          {isBars ? (
            points.map(({ name, count, isOpen = false }, index) => (
              <rect
                key={name}
                className={[css.bar, isOpen ? css.open : '', index === read ? css.current : ''].join(' ')}
                x={(index + gap / 2) * step}
                y={y(count)}
                width={step * (1 - gap)}
                height={height - y(count)}
              />
            ))
          ) : (
            <>
              <path
                className={css.area}
                d={`${line(points.map(({ count }) => count))}L${width} ${height}L0 ${height}z`}
              />
              <path className={css.line} d={line(points.map(({ count }) => count))} vectorEffect="non-scaling-stroke" />
              {read !== undefined && (
                <line
                  className={css.mark}
                  x1={x(read)}
                  x2={x(read)}
                  y1={0}
                  y2={height}
                  vectorEffect="non-scaling-stroke"
                />
              )}
            </>
          )}
          {points.some(({ before }) => before !== undefined) && (
            <path
              className={css.before}
              d={line(points.map(({ before }) => before))}
              vectorEffect="non-scaling-stroke"
            />
          )}
          <line className={css.base} x1={0} x2={width} y1={height} y2={height} vectorEffect="non-scaling-stroke" />
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
      </div>
      {marks !== undefined && marks.size > 0 && (
        <div className={css.marks} aria-hidden="true">
          {[...marks.keys()].map((index) => (
            <span key={index} style={{ insetInlineStart: `${(x(index) / width) * 100}%` }} />
          ))}
        </div>
      )}
      <figcaption className={css.ends} aria-hidden="true">
        {spread(points.length, mostNames).map((index) => (
          <span key={index} style={{ insetInlineStart: `${(x(index) / width) * 100}%` }}>
            {points[index]?.name}
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
                <td>{format.number(point.count)}</td>
                {point.before !== undefined && <td>{format.number(point.before)}</td>}
                {marks !== undefined && <td>{marks.get(index)?.join(' ')}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
