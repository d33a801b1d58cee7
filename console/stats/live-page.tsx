import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clicksQuery, reportQuery } from '#console/api/stats.ts';
import { useTitle } from '#console/app/title.ts';
import { Timeline } from '#console/charts/timeline.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { useNow } from '#console/ui/now.ts';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import { BreakdownPanel } from './breakdown.tsx';
import { FilterChips } from './filters.tsx';
import { useGroupName } from './names.ts';
import { filterOf, filtersOf, toggleFilter } from './search.ts';
import { useClickWords } from './click-words.ts';
import { useStatsView } from './use-stats.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';

const minutes = 30;
const minuteMs = 60_000;
const everyMs = 3_000;
const listed = 20;
const dimensions = ['shortLinks', 'country', 'referer'] as const;

/** /stats/live */
export function LivePage() {
  const words = useStatsWords();
  const format = useFormat();
  useTitle(words.liveTitle);
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
  return (
    <article className={css.page}>
      <p>
        <Link to="/stats" search={(before) => before}>
          {words.overview}
        </Link>
      </p>
      <h1>{words.liveTitle}</h1>
      <FilterChips view={view} labels={labels} />
      {report.error !== null && report.data === undefined ? (
        <Failed error={report.error} onRetry={() => void report.refetch()} />
      ) : report.data === undefined ? (
        <Skeleton rows={3} height={9} />
      ) : (
        <div className={css.content}>
          <section className={css.panel} aria-label={words.overTime}>
            <h2>
              {words.clicks}: {format.number(report.data.totalClicks)}
            </h2>
            <Timeline
              label={words.overTime}
              readLabel={words.read}
              points={report.data.timeline.map(({ startsAt, count }) => ({
                name: format.time(startsAt, timeZone),
                count,
              }))}
              describe={({ name, count }) => words.point(name, format.number(count))}
            />
          </section>
          <section className={css.panel} aria-label={words.lastClicks}>
            <h2>{words.lastClicks}</h2>
            {newest.length === 0 ? (
              <p className="quiet">{words.waiting}</p>
            ) : (
              <ol className={css.newest}>
                {newest.map((click) => (
                  <li key={click.id}>
                    <span>{sentenceOf(click)}</span>
                    <span className="quiet">
                      {nameOf('shortLinks', click.shortLinkId, labels.get(click.shortLinkId))}
                    </span>
                    <time dateTime={click.clickedAt} title={format.whole(click.clickedAt)}>
                      {format.ago(click.clickedAt, now)}
                    </time>
                  </li>
                ))}
              </ol>
            )}
          </section>
          <div className={css.panels}>
            {report.data.breakdowns.map((breakdown) => {
              const dimension = dimensions.find((one) => one === breakdown.groupBy)!;
              return (
                <BreakdownPanel
                  key={dimension}
                  dimension={dimension}
                  breakdown={breakdown}
                  search={search}
                  query={query}
                  onChoose={(chosen, group, isMore) => change(toggleFilter(search, filterOf(chosen), group, isMore))}
                />
              );
            })}
          </div>
        </div>
      )}
    </article>
  );
}
