import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { processListQuery } from '#console/api/processes.ts';
import { useTitle } from '#console/app/title.ts';
import { activityActions, subjectOf } from '#core/organizations/activity.ts';
import { Select } from '#console/ui/field.tsx';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import { NextList, NowList } from './lists.tsx';
import { Past } from './past.tsx';
import { activityKinds } from './search.ts';
import { useProcessWords } from './words.ts';
import css from './processes.module.css';

/** /activity */
export function ActivityPage() {
  const words = useProcessWords();
  useTitle(words.title);
  const { about: kind } = useSearch({ from: '/frame/activity' });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(processListQuery);
  const actions = kind === undefined ? undefined : activityActions.filter((action) => subjectOf(action) === kind);
  return (
    <article className={css.page}>
      <h1>{words.title}</h1>
      {data === undefined && error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      <div className={css.columns}>
        <section className={css.panel} aria-label={words.running}>
          <h2>{words.running}</h2>
          {data === undefined ? <Skeleton rows={2} /> : <NowList running={data.running} />}
        </section>
        <section className={css.panel} aria-label={words.nextDays}>
          <h2>{words.nextDays}</h2>
          {data === undefined ? <Skeleton rows={2} /> : <NextList coming={data.upcoming} />}
        </section>
      </div>
      <section className={css.panel} aria-label={words.past}>
        <div className={css.head}>
          <h2>{words.past}</h2>
          <Select
            label={words.filter}
            value={kind ?? 'all'}
            onChange={(id) => void navigate({ to: '/activity', search: id === 'all' ? {} : { about: id } })}
            choices={[
              { id: 'all' as const, label: words.kinds.all },
              ...activityKinds.map((id) => ({ id, label: words.kinds[id] })),
            ]}
          />
        </div>
        <Past filter={actions === undefined ? {} : { actions }} />
      </section>
    </article>
  );
}
