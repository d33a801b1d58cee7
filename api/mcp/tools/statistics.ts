import { z } from 'zod';
import { groupBys } from '#core/stats/stats.ts';
import { findDomain, findFolder, findLink, findTag, idOf } from '#api/mcp/names.ts';
import type { StatsReport } from '#api/stats/schema.ts';
import { brief, table, tool } from '#api/mcp/tool.ts';

export const statisticsTools = [
  tool({
    name: 'get_statistics',
    title: 'Statistics in words and tables',
    description: 'Clicks of all links, or of one link, domain, folder or tag, over time and by groups.',
    input: z.strictObject({
      link: z.string().optional(),
      domain: z.string().optional(),
      folder: z.string().optional(),
      tag: z.string().optional(),
      from: z.string().optional().describe('Date, inclusive; 30 days before `until` by default.'),
      until: z.string().optional().describe('Date, exclusive; now by default.'),
      timezone: z.string().optional().describe('IANA name; UTC by default.'),
      interval: z.enum(['minute', 'hour', 'day', 'week', 'month']).optional(),
      groupBy: z.array(z.enum(groupBys)).max(5).optional(),
      compare: z.enum(['previous', 'year']).optional(),
      limit: z.number().int().min(1).max(100).optional().describe('Rows of each group.'),
    }),
    effect: 'reads',
    async run(rest, { link, domain, folder, tag, from, until, timezone = 'UTC', groupBy, ...shape }) {
      const query = {
        shortLinkIds: await idOf(rest, findLink, link),
        domainIds: await idOf(rest, findDomain, domain),
        folderIds: await idOf(rest, findFolder, folder),
        tagIds: await idOf(rest, findTag, tag),
        ...shape,
        timezone,
        startDate: from,
        endDate: until,
        groupBys: groupBy,
      };
      const report = (await rest.call('GET', '/stats/report', { query })) as StatsReport;
      const busy = report.timeline.filter(({ count }) => count > 0);
      const best = busy.toSorted((left, right) => right.count - left.count)[0];
      const parts = [
        `${report.totalClicks} clicks from ${report.startDate} until ${report.endDate} (${report.timezone}).`,
        ...(report.previous === null ? [] : [`The period before: ${brief(report.previous)}`]),
        ...(best === undefined ? [] : [`Most in one ${report.interval}: ${best.count} (${best.date}).`]),
        ...(busy.length === 0
          ? []
          : [
              table(
                [report.interval, 'clicks'],
                busy.map(({ date, count }) => [date, count]),
              ),
            ]),
      ];
      for (const { groupBy: name, data } of report.breakdowns)
        parts.push(
          table(
            [name, 'clicks'],
            data.map(({ group, label, count }) => [label ?? group, count]),
          ),
        );
      return parts.join('\n\n');
    },
  }),
];
