import { expect, it } from 'vitest';
import { reportCsv } from '#console/stats/csv.ts';

it('the CSV of a report has a line for each point and group, with the counts before, and no formulas', () => {
  const csv = reportCsv({
    startDate: '2026-03-14T00:00:00.000Z',
    endDate: '2026-03-15T00:00:00.000Z',
    timezone: 'UTC',
    interval: 'day',
    totalClicks: 3,
    timeline: [{ date: '2026-03-14', startsAt: '2026-03-14T00:00:00.000Z', count: 3 }],
    breakdowns: [
      {
        groupBy: 'utmSource',
        data: [
          { group: '=1+1', count: 2, previousCount: 1 },
          { group: 'a "b"', count: 1, previousCount: null },
        ],
        totalClicks: 3,
      },
    ],
    previous: {
      startDate: '2026-03-13T00:00:00.000Z',
      endDate: '2026-03-14T00:00:00.000Z',
      totalClicks: 4,
      timeline: [{ date: '2026-03-13', startsAt: '2026-03-13T00:00:00.000Z', count: 4 }],
    },
  });
  expect(csv.split('\r\n')).toEqual([
    '"kind","name","label","clicks","before"',
    '"timeline","2026-03-14T00:00:00.000Z","2026-03-14","3","4"',
    '"utmSource","\'=1+1","","2","1"',
    '"utmSource","a ""b""","","1",""',
    '',
  ]);
});
