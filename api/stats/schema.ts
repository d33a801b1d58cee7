import { z } from 'zod';
import { groupBys } from '#core/stats/stats.ts';
import { isTimeZone } from '#core/stats/days.ts';
import { csvQueryShape } from '#api/csv.ts';
import { filterShape, idListSchema, optionalInteger, momentQuerySchema } from '#api/query.ts';
import { momentSchema } from '#api/schemas.ts';

const maxGroups = 20;
const maxClicks = 1_000;

const rangeShape = {
  shortLinkIds: idListSchema,
  ...filterShape,
  startDate: momentQuerySchema.describe('Inclusive; 30 days before the end when omitted.'),
  endDate: momentQuerySchema.describe('Exclusive; now when omitted.'),
};

/** Query fields that all statistics share. */
export type StatsRangeQuery = z.output<z.ZodObject<typeof rangeShape>>;

const momentOrDateSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()]).optional();

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
};

/** The query of GET /stats/overview. */
export const overviewQuerySchema = z.strictObject({
  ...zonedShape,
  groupBy: z.enum(groupBys),
  limit: optionalInteger(1, maxGroups, 10).describe('How many groups.'),
});

/** The answer of GET /stats/overview. */
export const overviewSchema = z
  .strictObject({
    data: z.array(
      z.strictObject({
        group: z.string(),
        count: z.int(),
        label: z.string().optional().describe('The short URL; only with groupBy=shortLinks.'),
      }),
    ),
    totalClicks: z.int().describe('All clicks, including the ones of groups that are not shown.'),
  })
  .meta({ id: 'StatsOverview', example: { data: [{ group: 'DE', count: 42 }], totalClicks: 57 } });

export type Overview = z.output<typeof overviewSchema>;

/** The query of GET /stats/clicks-over-time. */
export const timelineQuerySchema = z.strictObject(zonedShape);

/** The answer of GET /stats/clicks-over-time. */
export const timelineSchema = z
  .strictObject({
    data: z
      .array(z.strictObject({ date: z.iso.date(), count: z.int() }))
      .describe('One point for each day, days without clicks too.'),
    totalClicks: z.int(),
  })
  .meta({ id: 'StatsTimeline', example: { data: [{ date: '2026-03-14', count: 57 }], totalClicks: 57 } });

/** The query of GET /stats/clicks. */
export const clicksQuerySchema = z.strictObject({
  ...rangeShape,
  cursor: z.string().optional().describe('The nextCursor of the earlier page.'),
  limit: optionalInteger(1, maxClicks, 100),
});

/** The query of GET /stats/export. */
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
  .meta({ id: 'Click', description: 'Null: unknown.' });

export type Click = z.output<typeof clickSchema>;

/** The columns of GET /stats/export: the members of a click. */
export const clickFields = Object.keys(clickSchema.shape) as (keyof Click)[];

/** The answer of GET /stats/clicks. */
export const clicksSchema = z.strictObject({
  data: z.array(clickSchema),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});

export type Clicks = z.output<typeof clicksSchema>;
