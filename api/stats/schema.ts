import { z } from 'zod';
import { comparisons, intervals } from '#core/stats/intervals.ts';
import { agents, type Dimension, dimensions, groupBys, groupWithoutValue } from '#core/stats/stats.ts';
import { text } from '#core/lib/schemas.ts';
import { isTimeZone } from '#core/stats/days.ts';
import { csvQueryShape } from '#api/csv.ts';
import { cursorShape, filterShape, idListSchema, optionalInteger, textListSchema } from '#api/query.ts';
import { momentSchema } from '#api/schemas.ts';

const maxGroups = 20;
const maxReportGroups = 100;
const maxClicks = 1_000;
const maxValues = 100;
const maxValueLength = 8_192;

/** Dimensions that have a filter by value of the same name: `shortLinkIds` filters by link. */
export const valueFilters = dimensions.filter((dimension) => dimension !== 'shortLinks');

const groupText = text({ min: 1, max: maxValueLength });

/** Groups as a repeated key. Commas do not separate them: destinations may hold some. */
const groupListSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .pipe(z.array(groupText).max(maxValues))
  .default([]);

const valueShape = Object.fromEntries(
  valueFilters.map((dimension) => [
    dimension,
    groupListSchema.meta({
      description: `Clicks of these groups of \`groupBy=${dimension}\`; \`${groupWithoutValue(dimension)}\`: clicks without one. Several: the name repeated.`,
    }),
  ]),
) as Record<Exclude<Dimension, 'shortLinks'>, typeof groupListSchema>;

const momentTextSchema = z.iso.datetime({ offset: true });

const rangeShape = {
  shortLinkIds: idListSchema,
  ...filterShape,
  ...valueShape,
  startDate: momentTextSchema.optional().describe('Inclusive; 30 days before the end when omitted.'),
  endDate: momentTextSchema.optional().describe('Exclusive; now when omitted.'),
};

/** Query fields that all statistics share. */
export type StatsRangeQuery = z.output<z.ZodObject<typeof rangeShape>>;

const momentOrDateSchema = z.union([momentTextSchema, z.iso.date()]).optional();

// Sums of clicks, whose range may be given in days of a time zone.
const zonedShape = {
  ...rangeShape,
  startDate: momentOrDateSchema.describe(
    'Inclusive; 30 days before the end when omitted. With timezone also a date (YYYY-MM-DD), as its beginning.',
  ),
  endDate: momentOrDateSchema.describe(
    'Exclusive; now when omitted. With timezone also a date (YYYY-MM-DD), as its beginning: the day itself is not counted.',
  ),
  timezone: z.string().refine(isTimeZone, 'must be a time zone of the IANA database').optional().meta({
    example: 'Europe/Berlin',
    description: 'The time zone of days, from the IANA database; UTC when omitted.',
  }),
  agents: z.enum(agents).default('humans').meta({
    description:
      'Whose visits are counted: `humans`, which are the clicks; `all`; `bots`; or bots of one kind: `previews`, `scanners`, `crawlers`, `tools`. Visits of bots are kept for a month, and in bounds.',
  }),
};

export const overviewQuerySchema = z.strictObject({
  ...zonedShape,
  groupBy: z.enum(groupBys),
  limit: optionalInteger(1, maxGroups, 10).describe('How many groups.'),
});

const groupShape = {
  group: z.string(),
  count: z.int(),
  label: z.string().optional().describe('The short URL; only with groupBy=shortLinks.'),
};

export const overviewSchema = z
  .strictObject({
    data: z.array(z.strictObject(groupShape)),
    totalClicks: z.int().describe('All clicks, including the ones of groups that are not shown.'),
  })
  .meta({
    id: 'StatsOverview',
    description: 'Clicks by group.',
    example: { data: [{ group: 'DE', count: 42 }], totalClicks: 57 },
  });

export type Overview = z.output<typeof overviewSchema>;

export const timelineQuerySchema = z.strictObject({
  ...zonedShape,
  interval: z
    .enum(intervals)
    .optional()
    .describe(
      'Length of the points; day when omitted. Weeks begin on Mondays. Days, weeks and months are of `timezone`.',
    ),
});

const dateOfPointSchema = z.iso
  .date()
  .describe(
    'The date on which the point begins, in `timezone`; of a week its Monday, of a month its first day, also where the range begins later.',
  );

const pointSchema = z.strictObject({
  date: dateOfPointSchema,
  startsAt: momentSchema.optional().describe('When it begins in the range; only where `interval` is given.'),
  count: z.int(),
});

export const timelineSchema = z
  .strictObject({
    data: z.array(pointSchema).describe('One point for each day or other interval, also for those without clicks.'),
    totalClicks: z.int(),
  })
  .meta({
    id: 'StatsTimeline',
    description: 'Clicks by day.',
    example: { data: [{ date: '2026-03-14', count: 57 }], totalClicks: 57 },
  });

const groupBySchema = z.enum(groupBys);

export const reportQuerySchema = z.strictObject({
  ...zonedShape,
  groupBys: textListSchema(groupBySchema).describe('Which breakdowns: the name repeated, or comma-separated.'),
  limit: optionalInteger(1, maxReportGroups, 10).describe('How many groups of each breakdown.'),
  interval: z.enum(intervals).default('day').describe('Length of the points. Weeks begin on Mondays.'),
  compare: z
    .enum(comparisons)
    .optional()
    .describe(
      'What the period is compared with: `previous`, as long and just before it; `year`, the same weekdays 52 weeks before. Of a period that is not over, the same part.',
    ),
});

const reportPointSchema = z.strictObject({
  date: dateOfPointSchema,
  startsAt: momentSchema.describe('When it begins in the range.'),
  count: z.int().describe('Clicks.'),
});

const reportPeriodShape = {
  startDate: momentSchema.describe('Inclusive.'),
  endDate: momentSchema.describe('Exclusive.'),
  totalClicks: z.int().describe('All clicks of the period.'),
  timeline: z.array(reportPointSchema).describe('One point for each interval, also for those without clicks.'),
};

export const reportSchema = z
  .strictObject({
    ...reportPeriodShape,
    timezone: z.string().describe('The time zone of days.'),
    interval: z.enum(intervals).describe('Length of the points.'),
    breakdowns: z
      .array(
        z.strictObject({
          groupBy: groupBySchema.describe('What the clicks are grouped by.'),
          data: z.array(
            z.strictObject({
              ...groupShape,
              previousCount: z
                .int()
                .nullable()
                .optional()
                .describe(
                  'Clicks of the group in the period that is compared with; null where that has too many groups to tell. Only with `compare`.',
                ),
            }),
          ),
          totalClicks: z.int().describe('All clicks, including the ones of groups that are not shown.'),
        }),
      )
      .describe('In the order of `groupBys`.'),
    previous: z
      .strictObject(reportPeriodShape)
      .nullable()
      .describe('The period that is compared with; null without `compare`.'),
  })
  .meta({
    id: 'StatsReport',
    description: 'A timeline and breakdowns of one moment.',
    example: {
      startDate: '2026-03-14T00:00:00.000Z',
      endDate: '2026-03-15T00:00:00.000Z',
      timezone: 'UTC',
      interval: 'day',
      totalClicks: 57,
      timeline: [{ date: '2026-03-14', startsAt: '2026-03-14T00:00:00.000Z', count: 57 }],
      breakdowns: [{ groupBy: 'country', data: [{ group: 'DE', count: 42, previousCount: 30 }], totalClicks: 57 }],
      previous: {
        startDate: '2026-03-13T00:00:00.000Z',
        endDate: '2026-03-14T00:00:00.000Z',
        totalClicks: 44,
        timeline: [{ date: '2026-03-13', startsAt: '2026-03-13T00:00:00.000Z', count: 44 }],
      },
    },
  });

export type StatsReport = z.output<typeof reportSchema>;

export const clicksQuerySchema = z.strictObject({
  ...rangeShape,
  cursor: cursorShape.cursor.describe('The nextCursor of the earlier page.'),
  limit: optionalInteger(1, maxClicks, 100),
});

export const exportQuerySchema = z.strictObject({ ...rangeShape, ...csvQueryShape });

const id = z.guid();
const told = z.string().nullable();

const clickSchema = z
  .strictObject({
    id,
    clickedAt: momentSchema,
    shortLinkId: id,
    domainId: id,
    country: told,
    region: told,
    city: told,
    continent: told,
    lang: told,
    device: z.string(),
    browser: told,
    os: told,
    referer: told,
    utmSource: told,
    utmMedium: told,
    utmCampaign: told,
    utmTerm: told,
    utmContent: told,
    isQrCode: z.boolean(),
    destination: z.string(),
  })
  .meta({ id: 'Click', description: 'One visit of a short link.' });

export type Click = z.output<typeof clickSchema>;

/** The columns of GET /stats/export: the members of a click. */
export const clickFields = Object.keys(clickSchema.shape) as (keyof Click)[];

export const clicksSchema = z.strictObject({
  data: z.array(clickSchema),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});

export type Clicks = z.output<typeof clicksSchema>;
