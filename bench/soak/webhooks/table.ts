import type { Component } from '#bench/soak/stack.ts';
import { writeTable } from '#bench/soak/table.ts';
import type { WebhookDrillResult } from './drill.ts';

type Cell = (results: readonly WebhookDrillResult[]) => number | string;

const total =
  (of: (result: WebhookDrillResult) => number): Cell =>
  (results) =>
    results.reduce((sum, result) => sum + of(result), 0);

const columns: readonly [title: string, cell: Cell][] = [
  ['rounds', (results) => results.length],
  ['changes seen', total(({ done }) => done)],
  ['events', total(({ events }) => events.written)],
  ['types', (results) => Math.min(...results.map(({ events }) => events.types))],
  ['events missing', total(({ events }) => events.unwritten)],
  ['events twice', total(({ events }) => events.doubled)],
  ['requests taken', total(({ received }) => received.taken)],
  ['deliveries lost', total(({ received }) => received.lost)],
  ['deliveries twice', total(({ received }) => received.twice)],
  ['bodies altered', total(({ received }) => received.altered)],
  ['settled s, max', (results) => slowest(results)],
];

/** A Markdown table of many rounds, with a line for each component. */
export function formatWebhookTable(components: readonly Component[], results: readonly WebhookDrillResult[]): string {
  const titles = ['component', ...columns.map(([title]) => title)];
  const lines = components.map((component) => {
    const own = results.filter((result) => result.component === component);
    return [component, ...columns.map(([, cell]) => String(cell(own)))];
  });
  return writeTable(titles, lines);
}

function slowest(results: readonly WebhookDrillResult[]): string {
  if (results.length === 0) return '-';
  const most = Math.max(...results.map(({ settledSeconds }) => settledSeconds ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(most) ? most.toFixed(1) : 'never';
}
