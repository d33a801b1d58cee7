import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Click, clicksQuery, reportQuery } from '#console/api/links/stats.ts';
import { Timeline } from '#console/charts/timeline.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { Moment } from '#console/ui/page/moment.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { BreakdownPanels } from '#console/stats/breakdown.tsx';
import { StatsFrame } from '#console/stats/filters.tsx';
import { useGroupName } from '#console/stats/names.ts';
import { ZoneNote } from '#console/stats/period-bar.tsx';
import { filterOf, filtersOf, toggleFilter } from '#console/stats/search.ts';
import { useStatsView } from '#console/stats/use-stats.ts';
import { useStatsWords } from '#console/stats/words.ts';
import { linkListQuery } from '#console/api/links/links.ts';
import { filterStates } from '#console/links/search.ts';
import css from '#console/stats/stats.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';

const minutes = 30;
const minuteMs = 60_000;
const everyMs = 3_000;
const listed = 20;
const dimensions = ['shortLinks', 'country', 'referer'] as const;

/** /stats/live */
export default function LivePage() {
  const words = useStatsWords();
  const format = useFormat();
  const view = useStatsView('/frame/stats/live');
  const now = useNow();
  const nameOf = useGroupName();
  const sentenceOf = useClickWords();
  const { search, timeZone, change } = view;
  const filters = filtersOf(search);
  const endMs = Math.ceil(now.getTime() / minuteMs) * minuteMs;
  const range = {
    startDate: new Date(endMs - minutes * minuteMs).toISOString(),
    endDate: new Date(endMs).toISOString(),
  };
  const query = {
    ...range,
    timezone: timeZone,
    filters,
    groupBys: dimensions,
    interval: 'minute',
    limit: 100,
  } as const;
  const report = useQuery(reportQuery(query, everyMs));
  const clicks = useInfiniteQuery({ ...clicksQuery({}, filters, listed), refetchInterval: everyMs });
  const newest = clicks.data?.pages[0]?.data ?? [];
  const labels = new Map(
    report.data?.breakdowns.flatMap(({ data }) => data.flatMap(({ group, label }) => (label ? [[group, label]] : []))),
  );
  // Of clicks before the last half hour.
  const unnamed = [...new Set(newest.map(({ shortLinkId }) => shortLinkId))].filter((id) => !labels.has(id));
  const { data: others } = useQuery({
    ...linkListQuery({ ids: unnamed, states: filterStates }, { limit: listed }),
    enabled: unnamed.length > 0,
  });
  for (const { id, originUrl } of others?.data ?? []) labels.set(id, originUrl);
  return (
    <StatsFrame title={words.liveTitle} isPart view={view} labels={labels} bar={<ZoneNote {...view} />}>
      <Loaded query={report} rows={3} height={9}>
        {(data) => (
          <div className={css.content}>
            <Panel title={words.overTime(words.counted.humans)} heading={null}>
              <h2>
                {words.counted.humans}: {format.number(data.totalClicks)}
              </h2>
              <Timeline
                label={words.overTime(words.counted.humans)}
                readLabel={words.read}
                legend={{ now: words.counted.humans }}
                points={data.timeline.map(({ startsAt, count }) => ({
                  name: format.time(startsAt, timeZone),
                  count,
                }))}
                describe={({ name, count }) => words.point(name, format.number(count))}
              />
            </Panel>
            <Panel title={words.lastClicks}>
              {newest.length === 0 ? (
                <p className="quiet">{words.waiting}</p>
              ) : (
                <ol className={css.newest}>
                  {newest.map((click) => (
                    <li key={click.id}>
                      <span className="clip">{sentenceOf(click)}</span>
                      <span className="quiet clip">
                        {nameOf('shortLinks', click.shortLinkId, labels.get(click.shortLinkId))}
                      </span>
                      <Moment at={click.clickedAt} as="ago" />
                    </li>
                  ))}
                </ol>
              )}
            </Panel>
            <div className={css.panels}>
              <BreakdownPanels
                report={data}
                dimensions={dimensions}
                search={search}
                query={query}
                onChoose={(chosen, group, isMore) => change(toggleFilter(search, filterOf(chosen), group, isMore))}
              />
            </div>
          </div>
        )}
      </Loaded>
    </StatsFrame>
  );
}

/** @returns what tells of a click in words: Berlin, iOS, from news.example. */
function useClickWords(): (click: Click) => string {
  const words = useStatsWords();
  const nameOf = useGroupName();
  return ({ city, country, os, device, referer, isQrCode }) => {
    const place = city ?? (country === null ? '' : nameOf('country', country));
    const source = isQrCode ? words.scan : referer === null ? '' : words.fromSource(referer);
    return words.click(place, os ?? nameOf('device', device), source);
  };
}
