import { localDays } from '#core/stats/days.ts';
import { type ClickFilters, dimensions, type GroupBy } from '#core/stats/stats.ts';
import type { Statistics } from '#db/stats/statistics.ts';
import { readBreakdown, readTimeline } from '#test/support/stats.ts';
import { firstMidnight, ids, type Population } from './population.ts';

/** A request for statistics, as the API makes it. */
export interface Question {
  name: string;
  /** Whether rollups answer it: it covers all clicks of the organization, and no unique visitors. */
  isCounted: boolean;
  ask(statistics: Statistics): Promise<unknown>;
}

interface FilteredQuestion extends Question {
  /** Whether it asks for one thing, of all the largest organization's clicks. */
  isSingle: boolean;
}

const limit = 10;
const recentMs = 30 * 86_400_000;
const none: ClickFilters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };
const filteredBy: readonly GroupBy[] = ['city', 'country', 'destination', 'shortLinks', 'uniqueVisitors'];

/** All statistics of the largest organization; then some of the last 30 days, which begin in the middle of a day. */
export function wholeQuestions({ endMs }: Population): Question[] {
  const organizationId = ids.organization(0);
  const whole = { organizationId, range: { startMs: firstMidnight(endMs), endMs }, filters: none };
  const recent = { ...whole, range: { startMs: endMs - recentMs, endMs } };
  const breakdown = (name: string, groupBy: GroupBy, query = whole): Question => ({
    name,
    isCounted: groupBy !== 'uniqueVisitors',
    ask: (statistics) => readBreakdown(statistics, { ...query, groupBy, limit, nowMs: endMs }),
  });
  return [
    ...dimensions.map((groupBy) => breakdown(groupBy, groupBy)),
    ...['UTC', 'Asia/Kolkata'].map((zone) => ({
      name: `by day, ${zone}`,
      isCounted: true,
      ask: (statistics: Statistics) => readTimeline(statistics, whole, localDays(whole.range, zone)),
    })),
    breakdown('city, last 30 days', 'city', recent),
    breakdown('country, last 30 days', 'country', recent),
    breakdown('uniqueVisitors', 'uniqueVisitors'),
  ];
}

/** Statistics under filters that no counts answer, one of which every click passes. */
export function filteredQuestions({ endMs }: Population): FilteredQuestion[] {
  const filters: [name: string, organization: number, filter: ClickFilters][] = [
    ['domain', 0, { ...none, domainIds: [ids.domain(0)] }],
    ['tag', 0, { ...none, tagIds: [ids.tag] }],
    ['link', 1, { ...none, shortLinkIds: [ids.hottestLink] }],
    ['country', 0, { ...none, values: { country: ['US', 'DE', 'unknown'] } }],
  ];
  const range = { startMs: firstMidnight(endMs), endMs };
  const points = localDays(range, 'America/New_York');
  return filters.flatMap(([filter, organization, filters]) => {
    const query = { organizationId: ids.organization(organization), range, filters };
    const questions: [name: string, ask: Question['ask']][] = [
      ...filteredBy.map((groupBy): [string, Question['ask']] => [
        groupBy,
        (statistics) => readBreakdown(statistics, { ...query, groupBy, limit, nowMs: endMs }),
      ]),
      ['timeline', (statistics) => readTimeline(statistics, query, points)],
      [
        'report',
        async (statistics) => {
          const asked = { ...query, groupBys: filteredBy, limit, nowMs: endMs };
          return (await statistics.readReport(asked, { range, points })).present.points;
        },
      ],
      ['list', (statistics) => statistics.listClicks({ ...query, limit: 100 })],
    ];
    return questions.map(([what, ask]) => ({
      name: `${filter}: ${what}`,
      isCounted: false,
      isSingle: filter === 'domain' && what !== 'report',
      ask,
    }));
  });
}
