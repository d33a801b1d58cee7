import { count, describeRatio, isNoisy, milliseconds, percentile, ratioOf, spreadOf } from './figures.ts';
import type { Measured } from './interleave.ts';

interface Row {
  /** As `R1`. */
  id: string;
  what: string;
  figure: string;
  beside?: string;
  ratio?: string;
  goal?: string;
  /** Undefined: no goal, or no figure. */
  isMet?: boolean;
}

/** What benchmarks found. */
export interface Report {
  add(row: Row): void;
  /** Adds the quotient of two rates, of which `wanted` is the least; without a figure where the counts of either did not match. */
  ratio(goal: { id: string; what: string; of: Measured; to: Measured; wanted?: number }): void;
  /** Adds a time that may be `mostMs` at most; without a figure where the counts did not match. */
  time(goal: { id: string; what: string; of: Measured; to?: Measured; by: 'p50Ms' | 'p99Ms'; mostMs: number }): void;
  /** Adds a time that may be `mostMs` at most. */
  most(goal: { id: string; what: string; ms: number; mostMs: number; beside?: string }): void;
  /** Adds a rate that must be `wanted` at least. @param rates a value for each round; empty: no figure. */
  rate(goal: { id: string; what: string; rates: readonly number[]; wanted: number; beside?: string }): void;
  /** Adds the 95th percentile of times. */
  p95(goal: { id: string; what: string; times: readonly number[]; mostMs: number; beside?: string }): void;
  /** Checks a run without any part of the product: where it varies, the machine was not quiet. */
  baseline(measured: Measured, by: 'perSecond' | 'p50Ms'): void;
  /** Notes that what clients counted is not what the database holds. */
  mismatch(line: string): void;
  readonly rows: readonly Row[];
  readonly noisy: readonly string[];
  readonly mismatches: ReadonlySet<string>;
}

export function createReport(): Report {
  const rows: Row[] = [];
  const noisy: string[] = [];
  const mismatches = new Set<string>();
  const noFigure = 'no figure';

  const isRight = ({ name, mismatch }: Measured): boolean => {
    if (mismatch !== undefined) mismatches.add(`${name}: ${mismatch}`);
    return mismatch === undefined;
  };
  return {
    rows,
    noisy,
    mismatches,
    add: (row) => void rows.push(row),
    ratio({ id, what, of, to, wanted }) {
      const goal = wanted === undefined ? '' : `≥ ${wanted}`;
      // Both, so that both mismatches are told.
      if ([of, to].filter(isRight).length < 2) return void rows.push({ id, what, goal, figure: noFigure });
      const ratio = ratioOf(of.perSecond, to.perSecond);
      const [figure, beside] = [of, to].map((run) => `${count(spreadOf(run.perSecond).median)}/s`);
      const isMet = wanted === undefined ? undefined : ratio.median >= wanted;
      rows.push({ id, what, figure: figure!, beside, ratio: describeRatio(ratio), goal, isMet });
    },
    time({ id, what, of, to, by, mostMs }) {
      const goal = `≤ ${milliseconds(mostMs)}`;
      if (!isRight(of)) return void rows.push({ id, what, goal, figure: noFigure });
      const { median, min, max } = spreadOf(of[by]);
      const figure = `${milliseconds(median)} (${min.toFixed(1)}–${max.toFixed(1)})`;
      const beside = to === undefined ? '' : milliseconds(spreadOf(to[by]).median);
      rows.push({ id, what, figure, beside, goal, isMet: median <= mostMs });
    },
    most({ id, what, ms, mostMs, beside }) {
      rows.push({ id, what, figure: milliseconds(ms), beside, goal: `≤ ${milliseconds(mostMs)}`, isMet: ms <= mostMs });
    },
    rate({ id, what, rates, wanted, beside }) {
      const goal = `≥ ${count(wanted)}/s`;
      if (rates.length === 0) return void rows.push({ id, what, goal, figure: noFigure });
      const { median, min, max } = spreadOf(rates);
      const figure = `${count(median)}/s (${count(min)}–${count(max)})`;
      rows.push({ id, what, figure, beside, goal, isMet: median >= wanted });
    },
    p95({ id, what, times, mostMs, beside }) {
      const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
      const figure = `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}`;
      rows.push({ id, what, figure, beside, goal: `p95 ≤ ${milliseconds(mostMs)}`, isMet: p95 <= mostMs });
    },
    baseline(measured, by) {
      const spread = spreadOf(measured[by]);
      if (isNoisy(spread))
        noisy.push(`${measured.name}: ${by} from ${spread.min.toFixed(2)} to ${spread.max.toFixed(2)}`);
    },
    mismatch: (line) => void mismatches.add(line),
  };
}

const titles = ['row', 'what', 'measured', 'beside it', 'ratio (median, min–max)', 'wanted', 'met'];

/** Writes rows as a table of Markdown. */
export function formatRows(rows: readonly Row[]): string {
  const lines = rows.map(({ id, what, figure, beside = '', ratio = '', goal = '', isMet }) => {
    return [id, what, figure, beside, ratio, goal, isMet === undefined ? '' : isMet ? 'yes' : 'no'];
  });
  return formatTable([titles, ...lines]);
}

/** Writes a table of Markdown; the first line has the titles. */
export function formatTable(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  const [head, ...rest] = lines.map(
    (line) => `| ${line.map((cell, index) => cell.padEnd(widths[index]!)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest].join('\n');
}
