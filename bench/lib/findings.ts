import { count, describeRatio, isNoisy, milliseconds, ratioOf, spreadOf } from './figures.ts';
import type { Measured } from './interleave.ts';
import type { Finding, Outcome } from './report.ts';

type Unit = 'perSecond' | 'p50Ms' | 'p99Ms';

/** A goal that is a ratio of two runs. */
interface RatioGoal {
  id: string;
  what: string;
  of: Measured;
  to: Measured;
  by: Unit;
  /** The least ratio (`perSecond`) or the greatest one (times) that meets the goal; absent: no goal. */
  wanted?: number;
}

/** A goal that is a time. */
interface TimeGoal {
  id: string;
  what: string;
  of: Measured;
  /** A run beside it. */
  to?: Measured;
  by: 'p50Ms' | 'p99Ms';
  mostMs: number;
}

/** Collects the findings of a benchmark. */
export interface Findings {
  /** Adds a finding. */
  add(finding: Finding): void;
  /** Adds a ratio; without a figure where the counts of either run did not match. */
  ratio(goal: RatioGoal): void;
  /** Adds a time; without a figure where the counts did not match. */
  time(goal: TimeGoal): void;
  /** Checks runs without any part of the product: where they vary, the machine was not quiet. */
  baseline(measured: Measured, by: Unit): void;
  /** Notes that the machine was not quiet. */
  noise(line: string): void;
  outcome(): Outcome;
}

const noFigure = { figure: 'no figure', baseline: '', ratio: '', isMet: null };

/** An empty collection. */
export function createFindings(): Findings {
  const findings: Finding[] = [];
  const noisy: string[] = [];
  const mismatches = new Set<string>();

  return {
    add: (finding) => void findings.push(finding),
    ratio({ id, what, of, to, by, wanted }) {
      const goal = wanted === undefined ? '' : by === 'perSecond' ? `≥ ${wanted}` : `≤ ${wanted}`;
      const wrong = [of, to].filter(({ mismatch }) => mismatch !== undefined);
      for (const { name, mismatch } of wrong) mismatches.add(`${name}: ${mismatch}`);
      if (wrong.length > 0) {
        findings.push({ id, what, goal, ...noFigure });
        return;
      }
      const ratio = ratioOf(of[by], to[by]);
      const isMet = wanted === undefined ? null : by === 'perSecond' ? ratio.median >= wanted : ratio.median <= wanted;
      const [figure, baseline] = [of, to].map((run) => describe(spreadOf(run[by]).median, by));
      findings.push({ id, what, figure: figure!, baseline: baseline!, ratio: describeRatio(ratio), goal, isMet });
    },
    time({ id, what, of, to, by, mostMs }) {
      const goal = `≤ ${milliseconds(mostMs)}`;
      if (of.mismatch !== undefined) {
        mismatches.add(`${of.name}: ${of.mismatch}`);
        findings.push({ id, what, goal, ...noFigure });
        return;
      }
      const { median, min, max } = spreadOf(of[by]);
      const figure = `${milliseconds(median)} (${min.toFixed(1)}–${max.toFixed(1)})`;
      const baseline = to === undefined ? '' : milliseconds(spreadOf(to[by]).median);
      findings.push({ id, what, figure, baseline, ratio: '', goal, isMet: median <= mostMs });
    },
    baseline(measured, by) {
      const spread = spreadOf(measured[by]);
      if (isNoisy(spread)) noisy.push(`${measured.name}: ${describe(spread.min, by)} to ${describe(spread.max, by)}`);
    },
    noise: (line) => void noisy.push(line),
    outcome: () => ({ findings, noisy, mismatches: [...mismatches] }),
  };
}

function describe(value: number, by: Unit): string {
  if (by === 'perSecond') return `${count(value)}/s`;
  return milliseconds(value);
}
