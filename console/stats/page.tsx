import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reportQuery, type ReportQuery, type StatsReport } from '#console/api/links/stats.ts';
import { useKeys } from '#console/app/keys.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Timeline, type TimePoint } from '#console/charts/timeline.tsx';
import { WorldMap } from '#console/charts/world-map.tsx';
import { useContinentNames } from '#console/i18n/continents.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { download } from '#console/ui/browser/download.ts';
import { Select } from '#console/ui/form/list-field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { type Comparison, comparisons, type Interval } from '#core/stats/intervals.ts';
import { agents as everyAgents } from '#core/stats/stats.ts';
import { breakdownOf, BreakdownPanels, type OnChoose } from './breakdown.tsx';
import { Change, type ChangeProps } from './change.tsx';
import { reportCsv } from './csv.ts';
import { FilterMenus, StatsFrame } from './filters.tsx';
import { MarksList, useMarks, useMarkSentences } from './marks.tsx';
import { PeriodBar } from './period-bar.tsx';
import { addDays, intervalOf, intervalsOf, namedPeriod, periodSearch, shiftPeriod } from './period.ts';
import { filterOf, filtersOf, setFilters, type StatsSearch, tabNames, tabs, toggleFilter } from './search.ts';
import { type StatsView, useStatsView } from './use-stats.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';
import layout from '#console/ui/page/layout.module.css';

const groups = 20;

/** /stats */
export default function StatsPage() {
  const words = useStatsWords();
  const view = useStatsView('/frame/stats');
  const { search, period, today, timeZone, change } = view;
  const tab = search.tab ?? 'places';
  const interval = intervalOf(period, search.interval);
  const agents = search.agents ?? 'humans';
  // Before the first link there is nothing to compare with, and visits of bots are kept for a month.
  const usual = search.period === 'all' || agents !== 'humans' ? 'none' : 'previous';
  const compare = search.compare ?? usual;
  const query: ReportQuery = {
    startDate: period.from,
    endDate: addDays(period.to, 1),
    timezone: timeZone,
    filters: filtersOf(search),
    groupBys: [...new Set([...tabs[tab], 'qrCode' as const, 'uniqueVisitors' as const])],
    interval,
    compare: compare === 'none' ? undefined : compare,
    limit: groups,
    ...(agents === 'humans' ? {} : { agents }),
  };
  const report = useQuery({ ...reportQuery(query), enabled: view.isKnown });
  const { data, isPlaceholderData } = report;
  const choose: OnChoose = (dimension, group, isMore) =>
    change(toggleFilter(search, filterOf(dimension), group, isMore));
  const shift = (direction: -1 | 1): void => change(periodSearch(shiftPeriod(period, direction, today), today));
  useKeys({
    d: () => change(namedPeriod('day')),
    w: () => change(namedPeriod('week')),
    m: () => change(namedPeriod('month')),
    y: () => change(namedPeriod('year')),
    ArrowLeft: () => shift(-1),
    ArrowRight: () => shift(1),
    Escape: () => {
      const last = setFilters(search).at(-1);
      if (last !== undefined) change(toggleFilter(search, last.name, last.value, true));
    },
  });
  const labels = new Map(
    data?.breakdowns.flatMap(({ data: rows }) => rows.flatMap(({ group, label }) => (label ? [[group, label]] : []))),
  );
  return (
    <StatsFrame
      title={words.title}
      view={view}
      labels={labels}
      actions={
        <>
          <Link className={buttonClass()} to="/stats/live" search={keepFilters}>
            <span className={css.wide}>
              <Icon name="play" />
            </span>
            {words.live}
          </Link>
          <Link className={buttonClass()} to="/stats/clicks" search={keepFilters}>
            <span className={css.wide}>
              <Icon name="list" />
            </span>
            {words.single}
          </Link>
          <Button
            icon="download"
            isDisabled={data === undefined}
            onPress={() =>
              download(
                new Blob([`\uFEFF${reportCsv(data!)}`], { type: 'text/csv;charset=utf-8' }),
                `${agents === 'humans' ? 'clicks' : agents}-${period.from}-${period.to}.csv`,
              )
            }
          >
            <span className="wide-only">{words.csv}</span>
          </Button>
          <span className={css.wide}>
            <Button icon="print" onPress={() => print()}>
              {words.print}
            </Button>
          </span>
        </>
      }
      bar={
        <>
          <PeriodBar {...view} />
          <div className={css.choices}>
            <Select
              label={words.interval}
              isLabelHidden
              value={interval}
              onChange={(next) => change({ interval: next === intervalOf(period, undefined) ? undefined : next })}
              choices={intervalsOf(period).map((id) => ({ id, label: words.intervals[id] }))}
            />
            <Select
              label={words.compare}
              isLabelHidden
              value={compare}
              onChange={(next) => change({ compare: next === usual ? undefined : next })}
              choices={(['none', ...comparisons] as const).map((id) => ({ id, label: words.compareWith[id] }))}
            />
            <Select
              label={words.agents}
              isLabelHidden
              value={agents}
              onChange={(next) => change({ agents: next === 'humans' ? undefined : next, compare: undefined })}
              choices={everyAgents.map((id) => ({ id, label: words.agentsOf[id] }))}
            />
            <FilterMenus {...view} />
          </div>
        </>
      }
    >
      <Loaded query={report} rows={4} height={9}>
        {(shown) => (
          <div
            className={[css.content, isPlaceholderData ? layout.isStale : ''].join(' ')}
            aria-busy={isPlaceholderData}
          >
            <Totals report={shown} view={view} query={query} />
            {agents !== 'humans' && <p className="quiet">{words.aboutBots}</p>}
            <Points report={shown} view={view} interval={interval} compare={compare} />
            <Tabs view={view} />
            <Breakdowns report={shown} view={view} query={query} onChoose={choose} />
          </div>
        )}
      </Loaded>
    </StatsFrame>
  );
}

/** Period and filters go along to the other pages of statistics, which are about clicks alone. */
const keepFilters = (search: StatsSearch) => ({ ...search, agents: undefined });

function countOf(report: StatsReport, groupBy: string, group: string): { count: number; before: number | null } {
  const row = report.breakdowns.find((one) => one.groupBy === groupBy)?.data.find((one) => one.group === group);
  return { count: row?.count ?? 0, before: report.previous === null ? null : (row?.previousCount ?? 0) };
}

const shareOf = (count: number, total: number): number => (total === 0 ? 0 : count / total);

interface ReportProps {
  report: StatsReport;
  view: StatsView;
  query: ReportQuery;
}

function Totals({ report, view, query }: ReportProps) {
  const words = useStatsWords();
  const visitors = countOf(report, 'uniqueVisitors', 'unique');
  const scans = countOf(report, 'qrCode', 'qr');
  const share = shareOf(scans.count, report.totalClicks);
  // Of no clicks there is no share, and so nothing to compare with.
  const before = report.previous?.totalClicks ?? 0;
  const isComparable = scans.before !== null && before > 0 && report.totalClicks > 0;
  const shareBefore = isComparable ? shareOf(scans.before ?? 0, before) : null;
  const { agents } = view.search;
  const isOfBots = agents !== undefined && agents !== 'all';
  return (
    <dl className={css.totals}>
      <Total
        name={words.counted[agents ?? 'humans']}
        now={report.totalClicks}
        before={report.previous?.totalClicks ?? null}
      />
      {!isOfBots && (
        <>
          <Total name={words.visitors} now={visitors.count} before={visitors.before} />
          <Total name={words.qrShare} now={share} before={shareBefore} isShare />
        </>
      )}
      {agents === undefined && (
        <Bots query={query} onShow={() => view.change({ agents: 'bots', compare: undefined })} />
      )}
    </dl>
  );
}

function Total({ name, ...change }: { name: string } & ChangeProps) {
  const format = useFormat();
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{change.isShare === true ? format.percent(change.now) : format.number(change.now)}</strong>
        <Change {...change} />
      </dd>
    </div>
  );
}

const botsEveryMs = 300_000;

/** How many visits of bots there were beside the clicks. */
function Bots({ query, onShow }: { query: ReportQuery; onShow: () => void }) {
  const words = useStatsWords();
  const format = useFormat();
  const { data } = useQuery(reportQuery({ ...query, groupBys: [], compare: undefined, agents: 'bots' }, botsEveryMs));
  return (
    <div title={words.aboutBots}>
      <dt>{words.bots}</dt>
      <dd>
        {data === undefined || data.totalClicks === 0 ? (
          <strong>{data === undefined ? '–' : format.number(0)}</strong>
        ) : (
          <button type="button" className={css.bots} onClick={onShow}>
            <strong>{format.number(data.totalClicks)}</strong>
          </button>
        )}
      </dd>
    </div>
  );
}

interface PointsProps {
  report: StatsReport;
  view: StatsView;
  interval: Interval;
  compare: Comparison | 'none';
}

function Points({ report, view, interval, compare }: PointsProps) {
  const words = useStatsWords();
  const format = useFormat();
  const now = useNow();
  const { timeline, previous, endDate } = report;
  const { timeZone, today, change } = view;
  const counted = words.counted[view.search.agents ?? 'humans'];
  const marks = useMarks(report, view.search);
  const sentences = useMarkSentences(report, marks);
  const nameOf = ({ date, startsAt }: StatsReport['timeline'][number]): string =>
    interval === 'minute' || interval === 'hour'
      ? `${format.date(date)}, ${format.time(startsAt, timeZone)}`
      : format.date(date);
  const shortNameOf = ({ date, startsAt }: StatsReport['timeline'][number]): string => {
    if (interval === 'month') return format.month(date);
    const isWithinDay = (interval === 'minute' || interval === 'hour') && view.period.from === view.period.to;
    return isWithinDay ? format.time(startsAt, timeZone) : format.shortDate(date);
  };
  const points = timeline.map((point, index): TimePoint => ({
    name: nameOf(point),
    shortName: shortNameOf(point),
    count: point.count,
    before: previous?.timeline[index]?.count,
    beforeName: previous?.timeline[index] === undefined ? undefined : nameOf(previous.timeline[index]),
    isFuture: Date.parse(point.startsAt) > now.getTime(),
    isOpen:
      Date.parse(point.startsAt) <= now.getTime() &&
      now.getTime() < Date.parse(timeline[index + 1]?.startsAt ?? endDate),
  }));
  const describe = ({ name, count, before, isOpen, isFuture }: TimePoint): string => {
    const shown = isFuture === true ? words.notBegun : format.number(count);
    const text = words.point(isOpen === true ? `${name} (${words.unfinished})` : name, shown);
    return before === undefined ? text : words.pointBefore(text, format.number(before));
  };
  return (
    <Panel title={words.overTime(counted)}>
      <Timeline
        label={words.overTime(counted)}
        readLabel={words.read}
        points={points}
        legend={{
          ...words.legend,
          now: counted,
          before: compare === 'none' ? undefined : words.legend.before[compare],
        }}
        describe={describe}
        marks={sentences}
        onZoom={(first, last) => {
          const [from, next] = [timeline[first]?.date, timeline[last + 1]?.date];
          if (from === undefined) return;
          const to =
            next === undefined ? view.period.to : next === from ? from : addDays(next, interval === 'hour' ? 0 : -1);
          change(periodSearch({ from, to }, today));
        }}
      />
      {report.totalClicks === 0 && (
        <p className="quiet">{view.search.agents === undefined ? words.noClicks : words.noVisits}</p>
      )}
      <MarksList marks={marks} />
    </Panel>
  );
}

function Tabs({ view: { search, change } }: { view: StatsView }) {
  const words = useStatsWords();
  const current = search.tab ?? 'places';
  return (
    <div className={`${layout.actions} ${css.tabs}`}>
      {tabNames.map((name) => (
        <button
          key={name}
          type="button"
          className={css.tab}
          aria-pressed={name === current}
          onClick={() => change({ tab: name === 'places' ? undefined : name })}
        >
          {words.tabs[name]}
        </button>
      ))}
    </div>
  );
}

function Breakdowns({ report, view: { search }, query, onChoose }: ReportProps & { onChoose: OnChoose }) {
  const words = useStatsWords();
  const continents = useContinentNames();
  const { installation } = useSession();
  const tab = search.tab ?? 'places';
  const shared = { report, search, query, onChoose };
  const countries = breakdownOf(report, 'country')?.data ?? [];
  const hasMap = tab === 'places' && countries.some(({ group }) => /^[A-Z]{2}$/.test(group));
  return (
    <>
      {tab === 'places' && !installation.hasGeoip && (
        <Notice tone="quiet">
          {words.noGeoip} {words.noGeoipHow}
        </Notice>
      )}
      {hasMap && (
        <div className={css.withMap}>
          <Panel title={words.map} heading={null}>
            <WorldMap
              counts={new Map(countries.map(({ group, count }) => [group, count]))}
              chosen={search.country ?? []}
              continent={search.continent?.[0]}
              names={{ world: words.world, ...continents }}
              partLabel={words.zoom}
              onChoose={(code, isMore) => onChoose('country', code, isMore)}
            />
          </Panel>
          <BreakdownPanels dimensions={['country']} {...shared} />
        </div>
      )}
      <div className={css.panels}>
        <BreakdownPanels dimensions={tabs[tab].filter((one) => !hasMap || one !== 'country')} {...shared} />
      </div>
    </>
  );
}
