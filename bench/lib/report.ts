import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#scripts/lib/paths.ts';
import { describeMachine } from './machine.ts';

/** One row of a benchmark's table. */
export interface Finding {
  /** As `R1`. */
  id: string;
  what: string;
  figure: string;
  baseline: string;
  ratio: string;
  goal: string;
  /** Null: no goal, or no figure. */
  isMet: boolean | null;
}

/** Result of a benchmark. */
export interface Outcome {
  findings: readonly Finding[];
  /** Baselines that varied too much: the figures beside them mean nothing. */
  noisy: readonly string[];
  /** Runs whose clicks or rows did not match what clients counted: they have no figure. */
  mismatches: readonly string[];
}

const titles = ['goal', 'what', 'measured', 'beside it', 'ratio (median, min–max)', 'wanted', 'met'];
const readme = join(root, 'bench', 'README.md');

/** Writes findings as a table of Markdown. */
export function formatFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ id, what, figure, baseline, ratio, goal, isMet }) => {
    const met = isMet === null ? '' : isMet ? 'yes' : 'no';
    return [id, what, figure, baseline, ratio, goal, met];
  });
  const widths = titles.map((title, index) => Math.max(title.length, ...lines.map((line) => line[index]!.length)));
  const write = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index]!)).join(' | ')} |`;
  return [write(titles), write(widths.map((width) => '-'.repeat(width))), ...lines.map(write)].join('\n');
}

/** Replaces the benchmark's table in README.md, with date, machine and timing. */
export function recordFindings(name: string, findings: readonly Finding[], how: string): void {
  const begin = `<!-- bench ${name} -->`;
  const end = `<!-- end of bench ${name} -->`;
  const text = readFileSync(readme, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`bench/README.md has no place for ${name}: ${begin} … ${end}`);
  const date = new Date().toISOString().slice(0, 10);
  const table = `${begin}\n\n${date}, ${describeMachine()}; ${how}\n\n${formatFindings(findings)}\n\n`;
  writeFileSync(readme, text.slice(0, from) + table + text.slice(to));
}
