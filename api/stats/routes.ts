import { invalidFields } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import { type Agents, isFiltered, type Range } from '#core/stats/stats.ts';
import { bucketsOf, comparedRange, type Interval, longestMs } from '#core/stats/intervals.ts';
import { createRollupQueue } from '#db/stats/rollup-queue.ts';
import type { ClickView } from '#db/stats/query.ts';
import type { StatsQuery } from '#db/stats/clicks-filter.ts';
import type { Routes } from '#api/dependencies.ts';
import { csvNote, pagesFrom, sendCsv } from '#api/csv.ts';
import { csvSchema, errorResponses } from '#api/schemas.ts';
import { namingRange, readRange, within } from './range.ts';
import { positionOf, presentClicks, presentCsv, presentOverview, presentReport, totalOf } from './presenter.ts';
import {
  clickFields,
  clicksQuerySchema,
  clicksSchema,
  exportQuerySchema,
  overviewQuerySchema,
  overviewSchema,
  reportQuerySchema,
  reportSchema,
  type StatsRangeQuery,
  timelineQuerySchema,
  timelineSchema,
  valueFilters,
} from './schema.ts';

const access = { resource: 'stats', action: 'read' } as const;

const msPerDay = 86_400_000;
const exportPage = 5_000;

const rangeNote =
  'Values of one filter are joined by OR, different filters by AND. A click counts for the folder and tags that the link had at that time.';

export const statsRoutes: Routes = async (app, { em, statistics, site, clock, shares }) => {
  /** Runs queries that read raw clicks in the organization's turn; queries of rollups run at once. */
  const inTurn = <T>({ organizationId, filters }: StatsQuery, read: () => Promise<T>, isHeavy = isFiltered(filters)) =>
    isHeavy ? shares.heavyReads(organizationId, read) : read();
  const roller = createRollupQueue(em, (error) =>
    app.log.error({ err: error }, 'clicks could not be counted by value'),
  );
  app.addHook('onClose', () => roller.close());

  app.get('/stats/overview', {
    config: { access, keepsReach: true },
    schema: {
      operationId: 'getStatsOverview',
      summary: 'Clicks by group',
      description: `The largest groups first. ${rangeNote}`,
      querystring: namingRange(overviewQuerySchema, clock),
      response: { 200: overviewSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, query: { groupBy, limit, timezone, ...rest } }) => {
      const now = clock();
      const query = toStatsQuery(actor, { ...rest, timezone }, now);
      const asked = { ...query, groupBys: [groupBy], limit, nowMs: now.getTime() };
      const { present, rolls } = await inTurn(
        query,
        () => statistics.readReport(asked, { range: query.range, points: [] }),
        groupBy === 'uniqueVisitors' || isFiltered(query.filters),
      );
      roller.ask(actor.organizationId, rolls);
      return presentOverview(present.breakdowns.get(groupBy)!, site);
    },
  });

  app.get('/stats/clicks-over-time', {
    config: { access, keepsReach: true },
    schema: {
      operationId: 'getClicksOverTime',
      summary: 'Clicks over time',
      description: `${periodNote} ${rangeNote}`,
      querystring: namingRange(timelineQuerySchema, clock),
      response: { 200: timelineSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, query: { timezone, interval, ...rest } }) => {
      const length = interval ?? 'day';
      const now = clock();
      const query = toStatsQuery(actor, { ...rest, timezone, interval: length }, now);
      const points = bucketsOf(query.range, length, timezone ?? 'UTC');
      const asked = { ...query, groupBys: [], limit: 0, nowMs: now.getTime() };
      const { present } = await inTurn(query, () => statistics.readReport(asked, { range: query.range, points }));
      return {
        data: points.map(({ date, startMs }, index) => ({
          date,
          ...(interval === undefined ? {} : { startsAt: new Date(startMs).toISOString() }),
          count: present.points[index]!,
        })),
        totalClicks: totalOf(present.points),
      };
    },
  });

  app.get('/stats/report', {
    config: { access, keepsReach: true },
    schema: {
      operationId: 'getStatsReport',
      summary: 'Timeline and breakdowns in one answer',
      description: `All counts are of one moment, so that they agree with each other. ${periodNote} ${rangeNote}`,
      querystring: namingRange(reportQuerySchema, clock),
      response: { 200: reportSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, query: { timezone: zone, interval, groupBys, limit, compare, ...rest } }) => {
      const now = clock();
      const { range, filters } = toStatsQuery(actor, { ...rest, timezone: zone, interval }, now);
      const timezone = zone ?? 'UTC';
      const period = (of: Range) => ({ range: of, points: bucketsOf(of, interval, timezone) });
      const present = period(range);
      const before = compare === undefined ? undefined : comparedRange(range, compare, timezone, now.getTime());
      const earlier = before && period({ startMs: within(before.startMs), endMs: within(before.endMs) });
      const asked = [...new Set(groupBys)];
      const { organizationId } = actor;
      const query = { organizationId, filters, groupBys: asked, limit, nowMs: now.getTime() };
      const report = await inTurn(
        { organizationId, filters, range },
        () => statistics.readReport(query, present, earlier),
        isFiltered(filters) || asked.includes('uniqueVisitors'),
      );
      roller.ask(actor.organizationId, report.rolls);
      return presentReport({ timezone, interval, groupBys: asked, present, earlier }, report, site);
    },
  });

  app.get('/stats/clicks', {
    config: { access, keepsReach: true },
    schema: {
      operationId: 'listClicks',
      summary: 'List clicks',
      description: `Newest first. ${rangeNote}`,
      querystring: namingRange(clicksQuerySchema, clock),
      response: { 200: clicksSchema, ...errorResponses(400) },
    },
    handler: async ({ actor, query: { cursor: after, limit, ...rest } }) => {
      const query = toStatsQuery(actor, rest, clock());
      return presentClicks(
        await inTurn(query, () => statistics.listClicks({ ...query, after, limit: limit + 1 })),
        limit,
      );
    },
  });

  app.get('/stats/export', {
    config: { access, keepsReach: true },
    schema: {
      operationId: 'exportClicks',
      summary: 'Export clicks',
      description: `CSV with a header, newest first. ${csvNote} ${rangeNote}`,
      querystring: namingRange(exportQuerySchema, clock),
      response: {
        200: { description: 'CSV', content: { 'text/csv': { schema: csvSchema } } },
        ...errorResponses(400),
      },
    },
    handler: async ({ actor, query: { bom, ...rest } }, reply) => {
      const query = toStatsQuery(actor, rest, clock());
      const read = (after?: ClickView): Promise<ClickView[]> =>
        shares.heavyReads(
          actor.organizationId,
          () => statistics.listClicks({ ...query, after: after && positionOf(after), limit: exportPage }),
          { isContinued: after !== undefined },
        );
      const readNext = (page: readonly ClickView[]) => (page.length < exportPage ? undefined : read(page.at(-1)));
      const pages = pagesFrom(await read(), presentCsv, readNext);
      return sendCsv(reply, { name: 'clicks.csv', columns: clickFields, bom }, pages);
    },
  });
};

const periodNote = `At most ${longestMs.day / msPerDay} days; ${longestMs.hour / msPerDay} by the hour, ${longestMs.minute / msPerDay} by the minute.`;

/** @throws AppError VALIDATION_ERROR as `readRange` finds. */
function toStatsQuery(
  { organizationId, reach }: Actor,
  query: StatsRangeQuery & { timezone?: string | undefined; interval?: Interval; agents?: Agents },
  now: Date,
): StatsQuery {
  const { shortLinkIds, domainIds, folderIds, tagIds, agents } = query;
  const { range, issues } = readRange(query, now);
  if (issues.length > 0) throw invalidFields(issues);
  const values = Object.fromEntries(valueFilters.map((dimension) => [dimension, query[dimension]]));
  return { organizationId, range, filters: { shortLinkIds, domainIds, folderIds, tagIds, values, reach, agents } };
}
