import type { DrillResult } from './drill.ts';
import type { Component } from './stack.ts';

type Cell = (results: readonly DrillResult[]) => number | string;

const total =
  (of: (result: DrillResult) => number): Cell =>
  (results) =>
    results.reduce((sum, result) => sum + of(result), 0);

const columns: readonly [title: string, cell: Cell][] = [
  ['rounds', (results) => results.length],
  ['302s seen', total(({ seen }) => seen)],
  ['broken visits', total(({ unsure }) => unsure)],
  ['clicks stored', total(({ clicks }) => clicks.stored)],
  ['clicks lost', total(({ clicks }) => clicks.lost)],
  ['clicks twice', total(({ clicks }) => clicks.twice)],
  ['links made', total(({ made }) => made)],
  ['links lost', total(({ links }) => links.lost)],
  ['links twice', total(({ links }) => links.twice)],
  ['verdicts missing', total(({ links }) => links.verdictsMissing)],
  ['odd answers', (results) => results.flatMap(({ odd }) => odd).join(', ') || 0],
  ['recovery s, median', (results) => seconds(results, 0.5)],
  ['recovery s, max', (results) => seconds(results, 1)],
];

/** Writes the table of many rounds, a line for each component, as Markdown. */
export function formatTable(components: readonly Component[], results: readonly DrillResult[]): string {
  const titles = ['component', ...columns.map(([title]) => title)];
  const lines = components.map((component) => {
    const own = results.filter((result) => result.component === component);
    return [component, ...columns.map(([, cell]) => String(cell(own)))];
  });
  return writeTable(titles, lines);
}

/** Writes a Markdown table: the first column's cells stand left, the others' right. */
export function writeTable(titles: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = titles.map((title, index) => Math.max(title.length, ...lines.map((line) => line[index]!.length)));
  const write = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))).join(' | ')} |`;
  return [write(titles), write(widths.map((width) => '-'.repeat(width))), ...lines.map(write)].join('\n');
}

/** The recovery time that a share of the rounds does not exceed. */
function seconds(results: readonly DrillResult[], share: number): string {
  const times = results
    .map(({ recoverySeconds }) => recoverySeconds ?? Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a - b);
  const time = times[Math.max(0, Math.ceil(times.length * share) - 1)];
  if (time === undefined) return '-';
  return Number.isFinite(time) ? time.toFixed(1) : 'never';
}
