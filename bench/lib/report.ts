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
