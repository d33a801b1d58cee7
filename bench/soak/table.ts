import type { DrillResult } from './drill.ts';
import type { Component } from './stack.ts';
import type { WebhookDrillResult } from './webhooks/drill.ts';

/** Columns of a table: titles, and cells of many rounds. */
type Columns<Result> = Record<string, (results: readonly Result[]) => number | string>;

function sum<Result>(of: (result: Result) => number): (results: readonly Result[]) => number {
  return (results) => results.reduce((total, result) => total + of(result), 0);
}

/** The longest time, in seconds; null: never. */
function longest<Result>(of: (result: Result) => number | null): (results: readonly Result[]) => string {
  return (results) => {
    const most = Math.max(0, ...results.map((result) => of(result) ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(most) ? most.toFixed(1) : 'never';
  };
}

export const linkColumns: Columns<DrillResult> = {
  rounds: (results) => results.length,
  '302s seen': sum(({ seen }) => seen),
  'broken visits': sum(({ unsure }) => unsure),
  'clicks stored': sum(({ clicks }) => clicks.stored),
  'clicks lost': sum(({ clicks }) => clicks.lost),
  'clicks twice': sum(({ clicks }) => clicks.twice),
  'links made': sum(({ made }) => made),
  'links lost': sum(({ links }) => links.lost),
  'links twice': sum(({ links }) => links.twice),
  'verdicts missing': sum(({ links }) => links.verdictsMissing),
  'odd answers': (results) => results.flatMap(({ odd }) => odd).join(', ') || 0,
  'recovery s, max': longest(({ recoverySeconds }) => recoverySeconds),
};

export const webhookColumns: Columns<WebhookDrillResult> = {
  rounds: (results) => results.length,
  'changes seen': sum(({ done }) => done),
  events: sum(({ events }) => events.written),
  types: (results) => Math.min(...results.map(({ events }) => events.types)),
  'events missing': sum(({ events }) => Object.values(events.unwritten).reduce((total, count) => total + count, 0)),
  'events twice': sum(({ events }) => events.doubled),
  'requests taken': sum(({ received }) => received.taken),
  'deliveries lost': sum(({ received }) => received.lost),
  'deliveries twice': sum(({ received }) => received.twice),
  'bodies altered': sum(({ received }) => received.altered),
  'settled s, max': longest(({ settledSeconds }) => settledSeconds),
};

/** Writes the table of many rounds, a line for each component, as Markdown. */
export function formatTable<Result>(
  components: readonly Component[],
  resultsOf: (component: Component) => readonly Result[],
  columns: Columns<Result>,
): string {
  const lines = [
    ['component', ...Object.keys(columns)],
    ...components.map((name) => [name, ...Object.values(columns).map((cell) => String(cell(resultsOf(name))))]),
  ];
  const widths = lines[0]!.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  const [titles, ...rows] = lines.map(
    (line) =>
      `| ${line.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!))).join(' | ')} |`,
  );
  return [titles, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows].join('\n');
}
