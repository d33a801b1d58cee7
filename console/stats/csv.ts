import type { StatsReport } from '#console/api/links/stats.ts';
import { csvLine } from '#core/csv/csv.ts';

/** A report as CSV: a line for each point and for each group that the filters find. */
export function reportCsv({ timeline, breakdowns, previous }: Omit<StatsReport, 'choices'>): string {
  return [
    ['kind', 'name', 'label', 'clicks', 'before'],
    ...timeline.map(({ startsAt, date, count }, index) => [
      'timeline',
      startsAt,
      date,
      String(count),
      textOf(previous?.timeline[index]?.count),
    ]),
    ...breakdowns.flatMap(({ groupBy, data }) =>
      data.map(({ group, label = '', count, previousCount }) => [
        groupBy,
        group,
        label,
        String(count),
        textOf(previousCount),
      ]),
    ),
  ]
    .map(csvLine)
    .join('');
}

const textOf = (count: number | null | undefined): string | null => (typeof count === 'number' ? String(count) : null);
