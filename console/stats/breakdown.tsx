import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reportQuery, type ReportQuery, type StatsReport } from '#console/api/links/stats.ts';
import { useModKey } from '#console/app/keys.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { SearchField } from '#console/ui/list/search-field.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import type { Dimension } from '#core/stats/stats.ts';
import { Change } from './change.tsx';
import { useGroupName } from './names.ts';
import { filterOf, type StatsSearch } from './search.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';

type Breakdown = StatsReport['breakdowns'][number];
type Group = Breakdown['data'][number];

/** Called with a group that was clicked. */
export type OnChoose = (dimension: Dimension, group: string, isMore: boolean) => void;

interface BreakdownPanelsProps {
  report: StatsReport;
  dimensions: readonly Dimension[];
  search: StatsSearch;
  /** What all groups are asked for by. */
  query: ReportQuery;
  onChoose: OnChoose;
}

type BreakdownPanelProps = Omit<BreakdownPanelsProps, 'report' | 'dimensions'> & {
  dimension: Dimension;
  breakdown: Breakdown;
};

// More are shown in a dialog.
const shownGroups = 8;
const mostGroups = 100;

/** A dimension's groups; with those beside the chosen ones, where it is filtered by. */
export function breakdownOf({ breakdowns, choices }: StatsReport, dimension: Dimension): Breakdown | undefined {
  const found = breakdowns.find(({ groupBy }) => groupBy === dimension);
  const whole = choices.find(({ groupBy }) => groupBy === dimension);
  if (found === undefined || whole === undefined) return found;
  // A list of groups has a limit: a group that the person chose may have too few clicks to be in it.
  const others = found.data.filter(({ group }) => !whole.data.some((one) => one.group === group));
  return { ...whole, data: [...whole.data, ...others] };
}

export function BreakdownPanels({ report, dimensions, ...shared }: BreakdownPanelsProps) {
  return dimensions.map((dimension) => {
    const breakdown = breakdownOf(report, dimension);
    return breakdown && <BreakdownPanel key={dimension} dimension={dimension} breakdown={breakdown} {...shared} />;
  });
}

/** The largest groups of a dimension, each of which filters the page. */
function BreakdownPanel({ dimension, breakdown, search, query, onChoose }: BreakdownPanelProps) {
  const words = useStatsWords();
  const [isOpen, setOpen] = useState(false);
  const { data, totalClicks } = breakdown;
  const chosen = search[filterOf(dimension)] ?? [];
  return (
    <Panel
      title={words.dimensions[dimension]}
      actions={
        data.length > shownGroups && (
          <Button size="small" variant="plain" onPress={() => setOpen(true)}>
            {words.more}
          </Button>
        )
      }
    >
      {data.length === 0 ? (
        <p className="quiet">{words.noGroups}</p>
      ) : (
        <Groups
          dimension={dimension}
          groups={data.filter(({ group }, index) => index < shownGroups || chosen.includes(group))}
          total={totalClicks}
          search={search}
          onChoose={onChoose}
        />
      )}
      {isOpen && (
        <AllGroups
          dimension={dimension}
          query={query}
          search={search}
          onClose={() => setOpen(false)}
          onChoose={(of, group, isMore) => {
            if (!isMore) setOpen(false);
            onChoose(of, group, isMore);
          }}
        />
      )}
    </Panel>
  );
}

type GroupsProps = Pick<BreakdownPanelProps, 'dimension' | 'search' | 'onChoose'> & {
  groups: readonly Group[];
  total: number;
};

function Groups({ dimension, groups, total, search, onChoose }: GroupsProps) {
  const words = useStatsWords();
  const format = useFormat();
  const nameOf = useGroupName();
  const mod = useModKey();
  const most = Math.max(1, ...groups.map(({ count }) => count));
  const chosen = search[filterOf(dimension)] ?? [];
  return (
    <table className={css.groups}>
      <caption className="visually-hidden">{words.dimensions[dimension]}</caption>
      <tbody>
        {groups.map(({ group, label, count, previousCount }) => {
          const name = nameOf(dimension, group, label);
          return (
            <tr key={group}>
              <th scope="row">
                <span className={css.share} style={{ inlineSize: `${(count / most) * 100}%` }} />
                <button
                  type="button"
                  className={css.group}
                  aria-pressed={chosen.includes(group)}
                  title={
                    chosen.length === 0 || chosen.includes(group) ? words.filterBy(name) : words.filterOrAdd(name, mod)
                  }
                  onClick={(event) => onChoose(dimension, group, event.ctrlKey || event.metaKey)}
                >
                  {name}
                </button>
              </th>
              <td className="tabular">{format.number(count)}</td>
              <td className="tabular">{format.percent(total === 0 ? 0 : count / total)}</td>
              {previousCount !== undefined && (
                <td>
                  <Change now={count} before={previousCount} />
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function AllGroups({
  dimension,
  query,
  search,
  onClose,
  onChoose,
}: Omit<BreakdownPanelProps, 'breakdown'> & { onClose: () => void }) {
  const words = useStatsWords();
  const nameOf = useGroupName();
  const [text, setText] = useState('');
  const all = useQuery(reportQuery({ ...query, groupBys: [dimension], limit: mostGroups }));
  const wanted = text.toLowerCase();
  return (
    <Dialog title={words.allOf(words.dimensions[dimension])} isWide onClose={onClose}>
      <Loaded query={all} rows={8}>
        {(report) => {
          const breakdown = breakdownOf(report, dimension)!;
          return (
            <>
              <SearchField label={words.search} clearLabel={words.clear} value={text} onChange={setText} autoFocus />
              {breakdown.data.length >= mostGroups && <p className="quiet">{words.largest}</p>}
              <Groups
                dimension={dimension}
                groups={breakdown.data.filter(({ group, label }) =>
                  nameOf(dimension, group, label).toLowerCase().includes(wanted),
                )}
                total={breakdown.totalClicks}
                search={search}
                onChoose={onChoose}
              />
            </>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
