import { usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query';
import { activityQuery, processListQuery } from '#console/api/processes.ts';
import { useTitle } from '#console/app/places/title.ts';
import { activityActions, subjectOf } from '#core/audit/activity.ts';
import { Panel } from '#console/ui/page/panel.tsx';
import { NextList, NowList } from './lists.tsx';
import { Past } from './past.tsx';
import { activityKinds, type ActivitySearch } from './search.ts';
import { useProcessWords } from './words.ts';
import css from './processes.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { usePageSearch } from '#console/app/places/use-page-search.ts';
import { FilterSelect } from '#console/ui/list/filters.tsx';
import layout from '#console/ui/page/layout.module.css';

/** /activity */
export default function ActivityPage() {
  const words = useProcessWords();
  useTitle(words.title);
  const { search, change } = usePageSearch<ActivitySearch>();
  const { about: kind } = search;
  const query = useQuery(processListQuery);
  const actions = kind === undefined ? undefined : activityActions.filter((action) => subjectOf(action) === kind);
  const filter = actions === undefined ? {} : { actions };
  usePrefetchInfiniteQuery(activityQuery(filter));
  return (
    <article className={layout.page}>
      <h1>{words.title}</h1>
      <div className={css.columns}>
        <Panel title={words.running}>
          <Loaded query={query} rows={2}>
            {({ running }) => <NowList running={running} />}
          </Loaded>
        </Panel>
        <Panel title={words.nextDays}>
          <Loaded query={query} rows={2}>
            {({ upcoming }) => <NextList coming={upcoming} />}
          </Loaded>
        </Panel>
      </div>
      {/* Below lists of a length that is not known before: it would move. */}
      {!query.isPending && (
        <Panel
          title={words.past}
          actions={
            <FilterSelect
              label={words.filter}
              isLabelHidden
              all={words.kinds.all}
              value={kind}
              onChange={(about) => change({ about })}
              choices={activityKinds.map((id) => ({ id, label: words.kinds[id] }))}
            />
          }
        >
          <Past filter={filter} />
        </Panel>
      )}
    </article>
  );
}
