import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { localDays } from '#core/stats/days.ts';
import type { Database } from '#db/connection/database.ts';
import { hideClicks } from '#db/stats/rollups.ts';
import type { Period, PeriodReport } from '#db/stats/report.ts';
import type { Statistics } from '#db/stats/statistics.ts';
import { bucketsOf, comparedRange, comparisons, intervals } from '#core/stats/intervals.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createLink, createTag, deleteLink } from '#test/support/edge-factories.ts';
import { createDomain, createFolder, createOrganization } from '#test/support/factories.ts';
import { reaches, toReach } from '#core/organizations/reach.ts';
import { botKinds } from '#core/clicks/click.ts';
import { agents, type GroupBy, groupBys, type Range } from '#core/stats/stats.ts';
import {
  countGroups,
  readBreakdown,
  readTimeline,
  selectClicks,
  type TestClick,
  testClick,
} from '#test/support/stats.ts';

/** Where the clicks are, and who counts them. */
interface Store {
  statistics: Statistics;
  /** @returns how many were taken. */
  ingest(clicks: readonly TestClick[]): Promise<number>;
  /** Removes all clicks of deleted links, and the rows that hide them. */
  purge(organizationId: string, linkIds: readonly string[]): Promise<unknown>;
  /** Counts the days and weeks by value that are worth it. @returns how many. */
  roll(
    query: Parameters<typeof readBreakdown>[1],
    maxValues: number,
    minClicks: number,
  ): Promise<{ days: number; weeks: number }>;
}

const day = 24 * 60 * 60_000;

// Clocks change in Europe, on Lord Howe Island by half an hour, and in Lebanon at midnight within these days.
const startMs = Date.UTC(2024, 2, 29);
const days = 8;

const zones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/New_York',
  'Asia/Beirut',
  'Pacific/Kiritimati',
];

/** An organization with 4 links in 2 folders, on 2 domains, with 3 tags. */
async function createWorld(db: Database) {
  const organization = await createOrganization(db);
  const domains = [await createDomain(db, organization.id), await createDomain(db, organization.id)];
  const folders = [organization.folderId, await createFolder(db, organization.id)];
  const tags = [
    await createTag(db, organization.id),
    await createTag(db, organization.id),
    await createTag(db, organization.id),
  ];
  const links = [];
  for (let index = 0; index < 4; index += 1) {
    const place = { domainId: domains[index % 2]!.id, folderId: folders[index < 2 ? 0 : 1]! };
    links.push({ ...place, ...(await createLink(db, { organizationId: organization.id, ...place })) });
  }
  return { organizationId: organization.id, domains, folders, tags, links };
}

// Times lie close enough together for days to be rolled, and sometimes on the very edges.
const time = fc.oneof(
  fc.integer({ min: 0, max: days * day - 1 }),
  fc.integer({ min: 0, max: days * 96 - 1 }).map((quarter) => quarter * 15 * 60_000),
  fc.integer({ min: 1, max: days - 1 }).map((index) => index * day - 1),
  fc.integer({ min: 2 * day, max: 4 * day }),
);
const few = (...values: string[]) =>
  fc.option(fc.constantFrom('', 'unknown', 'direct', 'z', 'Z', 'ä', '😀', '\uffef', ...values), { nil: undefined });

const clickModel = fc.record({
  at: time,
  link: fc.nat(3),
  folder: fc.nat(1),
  tags: fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
  visitor: fc.nat(9),
  country: few('DE', 'US', 'FR'),
  city: few('Berlin', 'Paris', ...Array.from({ length: 20 }, (_, index) => `City ${index}`)),
  referer: few('example.com'),
  utmSource: few('x'.repeat(255)),
  device: fc.constantFrom('desktop', 'mobile', 'other'),
  isQrCode: fc.boolean(),
  bot: fc.option(fc.constantFrom(...botKinds), { nil: undefined, freq: 2 }),
  destination: fc.constantFrom('https://example.com/', `https://example.com/${'ü'.repeat(4_000)}`),
});

const subset: fc.Arbitrary<number[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<number[]>([]) },
  { weight: 1, arbitrary: fc.array(fc.nat(4), { minLength: 1, maxLength: 2 }) },
);
const restriction = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.array(fc.nat(2), { minLength: 1, maxLength: 2 }) },
);
const groups = (...values: string[]) =>
  fc.array(fc.constantFrom('', 'unknown', 'direct', 'z', 'ä', '😀', ...values), { minLength: 1, maxLength: 3 });
const queryModel = fc.record({
  range: fc
    .tuple(fc.oneof(time, fc.constant(-7 * day)), fc.oneof(time, fc.constant((days + 7) * day)))
    .map(([a, b]) => ({ startMs: startMs + Math.min(a, b), endMs: startMs + Math.max(a, b) })),
  links: subset,
  domains: subset,
  folders: subset,
  tags: subset,
  values: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          country: groups('DE', 'FR'),
          city: groups('Berlin', 'City 3'),
          referer: groups('example.com'),
          utmSource: groups('x'.repeat(255)),
          device: groups('desktop', 'other'),
          qrCode: fc.constantFrom(['qr'], ['link'], ['qr', 'link']),
          destination: groups('https://example.com/'),
        },
        { requiredKeys: [] },
      ),
    },
  ),
  /** Folders and domains of the links that the key of a call reaches. */
  reach: fc.record({ folders: restriction, domains: restriction }),
  agents: fc.oneof(
    { weight: 2, arbitrary: fc.constant('humans' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...agents) },
  ),
  groupBy: fc.constantFrom(...groupBys),
  groupBys: fc.uniqueArray(fc.constantFrom(...groupBys), { maxLength: 6 }),
  interval: fc.constantFrom(...intervals),
  compare: fc.constantFrom(undefined, ...comparisons),
  limit: fc.constantFrom(1, 3, 20),
  zone: fc.constantFrom(...zones),
});

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ingest' as const),
      clicks: fc.array(clickModel, { minLength: 1, maxLength: 120 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('query' as const), query: queryModel }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('roll' as const),
      nowMs: fc.oneof(time, fc.constant(days * day), fc.constant((days + 7) * day)),
      maxValues: fc.constantFrom(4, 1_000),
      minClicks: fc.constantFrom(1, 3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), link: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const) }) },
);

/** Clicks all over the days, of every link, a bot's among them. */
const clicksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    at: (index * 7_919_777) % (days * day),
    link: index % 4,
    folder: index % 2,
    tags: [index % 3],
    visitor: index % 10,
    country: index % 3 === 0 ? 'DE' : undefined,
    city: `City ${index % 20}`,
    referer: undefined,
    utmSource: index % 5 === 0 ? 'x'.repeat(255) : undefined,
    device: 'mobile' as const,
    isQrCode: index % 7 === 0,
    bot: index % 11 === 0 ? botKinds[0] : undefined,
    destination: 'https://example.com/' as const,
  }));
type Model<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Model<typeof step>;
const wholeQuery: Model<typeof queryModel> = {
  range: { startMs: startMs - 7 * day, endMs: startMs + (days + 7) * day },
  links: [],
  domains: [],
  folders: [],
  tags: [],
  values: {},
  reach: { folders: undefined, domains: undefined },
  agents: 'humans',
  groupBy: 'city',
  groupBys: ['country', 'utmSource', 'shortLinks'],
  interval: 'day',
  compare: undefined,
  limit: 20,
  zone: 'Europe/Berlin',
};
const ingest: Step = { kind: 'ingest', clicks: clicksOf(300) };
const query: Step = { kind: 'query', query: wholeQuery };
const roll: Step = { kind: 'roll', nowMs: (days + 7) * day, maxValues: 1_000, minClicks: 1 };
const afterDelete: Step[] = [{ kind: 'delete', link: 1 }, query, { kind: 'purge' }, query];
/** Tried by every run, before what chance finds: clicks that come after the counts of their days, and a link that goes. */
const inOrder: Step[] = [ingest, roll, query, ingest, query, roll, query, ...afterDelete, roll];
/** Links that bots alone visit. */
const ofBots: Step[] = [{ kind: 'ingest', clicks: clicksOf(8).map((click) => ({ ...click, bot: botKinds[0] })) }];

/** A report without the addresses of links. */
function plain({ breakdowns, ...rest }: PeriodReport) {
  return {
    ...rest,
    breakdowns: [...breakdowns]
      .map(([groupBy, { rows, total }]) => ({
        groupBy,
        total,
        rows: rows.map(({ group, count }) => ({ group, count })),
      }))
      .toSorted((a, b) => (a.groupBy < b.groupBy ? -1 : 1)),
  };
}

/** The same report, counted in the plainest way. */
function countReport(clicks: readonly TestClick[], { points }: Period, groupings: readonly GroupBy[], limit: number) {
  return {
    points: points.map(
      ({ startMs: from, endMs: to }) =>
        clicks.filter(({ clickedAtMs }) => clickedAtMs >= from && clickedAtMs < to).length,
    ),
    breakdowns: groupings
      .toSorted()
      .map((groupBy) => ({ groupBy, total: clicks.length, rows: countGroups(clicks, groupBy).slice(0, limit) })),
  };
}

/**
 * The tests that statistics have to pass wherever the clicks are.
 * @returns how many days and weeks were counted by value.
 */
export async function compareWithPlainCounts(
  db: Database,
  store: Store,
  numRuns: number,
): Promise<{ days: number; weeks: number }> {
  let [rolled, rolledWeeks] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), queryModel, async (steps, last) => {
      const world = await createWorld(db);
      const { organizationId } = world;
      const unknown = uuidv7();
      let clicks: TestClick[] = [];
      const deleted = new Set<string>();

      async function check(query: typeof last): Promise<void> {
        const filters = {
          shortLinkIds: query.links.map((index) => world.links[index]?.id ?? unknown),
          domainIds: query.domains.map((index) => world.domains[index]?.id ?? unknown),
          folderIds: query.folders.map((index) => world.folders[index] ?? unknown),
          tagIds: query.tags.map((index) => world.tags[index] ?? unknown),
          values: query.values,
          agents: query.agents,
          reach: toReach({
            domainIds: query.reach.domains?.map((index) => world.domains[index]?.id ?? unknown) ?? null,
            folderIds: query.reach.folders?.map((index) => world.folders[index] ?? unknown) ?? null,
          }),
        };
        const { range, groupBy, limit } = query;
        const asked = { organizationId, range, filters };
        const reached = new Set(
          world.links
            .filter(
              (link) => reaches(filters, 'folderIds', link.folderId) && reaches(filters, 'domainIds', link.domainId),
            )
            .map(({ id }) => id),
        );
        const select = (of: Range): TestClick[] =>
          selectClicks(clicks, of, filters).filter(({ linkId }) => reached.has(linkId));
        const meant = select(range);
        const breakdown = await readBreakdown(store.statistics, {
          ...asked,
          groupBy,
          limit,
          nowMs: startMs + days * day,
        });
        expect({
          rows: breakdown.rows.map(({ group, count }) => ({ group, count })),
          total: breakdown.total,
        }).toEqual({
          rows: countGroups(meant, groupBy).slice(0, limit),
          total: meant.length,
        });
        const buckets = localDays(range, query.zone);
        const counts = buckets.map(
          ({ startMs: from, endMs: to }) =>
            meant.filter(({ clickedAtMs }) => clickedAtMs >= from && clickedAtMs < to).length,
        );
        expect(await readTimeline(store.statistics, asked, buckets)).toEqual(counts);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(meant.length);
        const periodOf = (of: Range) => ({ range: of, points: bucketsOf(of, query.interval, query.zone) });
        const earlier =
          query.compare === undefined ? undefined : periodOf(comparedRange(range, query.compare, query.zone, Infinity));
        // By the minute the longest range has thousands of points, whose counts are those of the hours.
        if (query.interval !== 'minute' || range.endMs - range.startMs < 2 * day) {
          const report = await store.statistics.readReport(
            { organizationId, filters, groupBys: query.groupBys, limit, nowMs: startMs + days * day },
            periodOf(range),
            earlier,
          );
          expect(plain(report.present)).toEqual(countReport(meant, periodOf(range), query.groupBys, limit));
          expect(report.earlier && plain(report.earlier)).toEqual(
            earlier && countReport(select(earlier.range), earlier, query.groupBys, 1_000),
          );
        }
        const listed = await store.statistics.listClicks({ ...asked, limit: 7 });
        const order = meant.toSorted((a, b) => b.clickedAtMs - a.clickedAtMs || (a.id < b.id ? 1 : -1));
        expect(listed.map(({ id }) => id)).toEqual(order.slice(0, 7).map(({ id }) => id));
      }

      async function roll(nowMs: number, maxValues: number, minClicks: number): Promise<void> {
        const everything = {
          organizationId,
          range: { startMs: startMs - 7 * day, endMs: startMs + (days + 7) * day },
          filters: { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] },
        };
        const made = await store.roll({ ...everything, groupBy: 'city', limit: 1, nowMs }, maxValues, minClicks);
        rolled += made.days;
        rolledWeeks += made.weeks;
      }

      for (const one of steps) {
        if (one.kind === 'ingest') {
          const made = one.clicks.map(({ at, link, folder, tags, visitor, ...rest }) =>
            testClick({
              ...rest,
              organizationId,
              linkId: world.links[link]!.id,
              domainId: world.links[link]!.domainId,
              folderId: world.folders[folder]!,
              tagIds: tags.map((index) => world.tags[index]!),
              clickedAtMs: startMs + at,
              visitor: visitor.toString(16).padStart(32, '0'),
            }),
          );
          const live = made.filter(({ linkId }) => !deleted.has(linkId));
          expect(await store.ingest(made)).toBe(live.filter(({ bot }) => bot === undefined).length);
          clicks.push(...live);
        } else if (one.kind === 'delete') {
          const { id } = world.links[one.link]!;
          await emOf(db).transactional(async (em) => {
            await deleteLink(em, id);
            await hideClicks(em, [id]);
          });
          deleted.add(id);
          clicks = clicks.filter(({ linkId }) => linkId !== id);
        } else if (one.kind === 'purge') {
          await store.purge(organizationId, [...deleted]);
        } else if (one.kind === 'roll') {
          await roll(startMs + one.nowMs, one.maxValues, one.minClicks);
        } else {
          await check(one.query);
        }
      }
      await check(last);
    }),
    {
      numRuns,
      examples: [
        [inOrder, { ...wholeQuery, groupBy: 'shortLinks', reach: { folders: [1], domains: [1] } }],
        [ofBots, { ...wholeQuery, agents: 'all', reach: { folders: [1], domains: undefined } }],
      ],
    },
  );
  return { days: rolled, weeks: rolledWeeks };
}
